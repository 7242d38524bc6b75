import { badRequest } from '@chandlery/api';
import { type DecodedBody, decodeBody } from '../body.ts';
import { type Call, fieldValidationOf } from '../call.ts';
import { findMessage } from '../message-finder.ts';

type BodyCall = Pick<Call, 'request' | 'yaml' | 'sender'> & Partial<Pick<Call, 'bodyLimits'>>;

/** The body of a request, decoded by its media type; undefined when there is none. */
export async function findBody(call: BodyCall, isStrict: boolean): Promise<DecodedBody | undefined> {
  const { request, yaml, sender, bodyLimits } = call;
  const body = request.body as Buffer | undefined;
  if (body === undefined || body.length === 0) return undefined;
  return decodeBody(body, {
    contentType: request.headers['content-type'],
    isStrict,
    messageOf: findMessage,
    yaml,
    sender,
    ...(bodyLimits === undefined ? {} : { maxValues: bodyLimits.values }),
  });
}

/** The body of a request that must have one. */
export async function requireBody(call: BodyCall, isStrict: boolean): Promise<DecodedBody> {
  const body = await findBody(call, isStrict);
  if (body === undefined) throw badRequest('the request has no body');
  return body;
}

/** The body of a write. */
export const bodyOf = (call: Call): Promise<DecodedBody> => requireBody(call, fieldValidationOf(call) !== 'Ignore');
