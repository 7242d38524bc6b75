import type { JsonObject } from '@chandlery/api';
import type { ContextSigner } from '../../model/osb/context-signature.ts';
import { readJsonBody } from '../shared/read-body.ts';
import type { ForwardedChanges } from './forward-request.ts';
import type { OsbCall } from './osb-call.ts';

/** The JSON object of a request, whatever type it claims to have. Throws `BadRequest`. */
export const bodyOf = (call: OsbCall): JsonObject => readJsonBody(call.body, undefined);

/**
 * The body for the broker, where it differs from the platform's: other fields, or a signed context. Otherwise nothing, and
 * the platform's bytes are forwarded unchanged.
 */
export function bodyChange(
  signer: ContextSigner | undefined,
  body: JsonObject,
  { instanceId, fields }: { readonly instanceId: string; readonly fields?: JsonObject },
): ForwardedChanges {
  const changed = { ...body, ...fields };
  const { context } = changed;
  const isSigned = signer !== undefined && typeof context === 'object' && context !== null && !Array.isArray(context);
  if (isSigned) return { body: JSON.stringify({ ...changed, context: signer(context, instanceId) }) };
  return fields === undefined ? {} : { body: JSON.stringify(changed) };
}
