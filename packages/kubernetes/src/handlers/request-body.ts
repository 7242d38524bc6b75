import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest } from '@chandlery/api';
import { type DecodedBody, decodeBody } from '../body.ts';
import { type Call, fieldValidationOf } from '../call.ts';
import { findMessage } from '../message-finder.ts';

/** The body of a request, decoded by its media type; undefined when there is none. */
export function findBody({ request }: Pick<Call, 'request'>, isStrict: boolean): DecodedBody | undefined {
  const body = request.body as Buffer | undefined;
  if (body === undefined || body.length === 0) return undefined;
  return decodeBody(body, { contentType: request.headers['content-type'], isStrict, messageOf: findMessage });
}

/** The body of a request that must have one. */
export function requireBody(call: Pick<Call, 'request'>, isStrict: boolean): DecodedBody {
  const body = findBody(call, isStrict);
  if (body === undefined) throw badRequest('the request has no body');
  return body;
}

/** Reading a body of this length takes so long that others have their turn before it is worked on. */
const largeBodyBytes = 128 * 1024;

/** The body of a write. */
export async function bodyOf(call: Call): Promise<DecodedBody> {
  const body = requireBody(call, fieldValidationOf(call) !== 'Ignore');
  if ((call.request.body as Buffer).length > largeBodyBytes) await nextTurn();
  return body;
}
