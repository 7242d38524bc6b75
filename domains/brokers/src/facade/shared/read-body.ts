import { isDeeperThan, type JsonObject } from '@chandlery/api';
import { type SmError, smError } from '../../errors.ts';
import { findJsonFault, type JsonFault } from './json-fault.ts';

/** The largest request body, of REST and of OSB. */
export const maxBodyBytes = 1024 * 1024;
const maxDepth = 200;

/** Reads the JSON object of a request; an absent body is an empty one. Throws 400, 413 or 415. */
export function readJsonBody(body: unknown, contentType: string | undefined): JsonObject {
  checkMediaType(contentType);
  if (!(body instanceof Uint8Array) || body.length === 0) return {};
  if (body.length > maxBodyBytes)
    throw smError('PayloadTooLarge', `the request body is larger than ${maxBodyBytes} bytes`);
  return parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
}

function checkMediaType(contentType: string | undefined): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '' || type === 'application/json') return;
  if (type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data')
    throw smError('BadRequest', `unsupported media type ${type}: send application/json`);
  throw smError('UnsupportedMediaType', `unsupported media type ${type}: send application/json`);
}

function parse(text: string): JsonObject {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw smError('BadRequest', 'the request body must be a JSON object');
  if (!isPlain(value, text)) {
    const fault = findJsonFault(text, maxDepth);
    if (fault !== undefined) throw faulty(fault);
  }
  return value as JsonObject;
}

/**
 * Whether the value is just the text when it is written again: then no key stands twice. So it is with what most programs
 * send, and it is seen sooner than by a scan.
 */
const isPlain = (value: object, text: string): boolean =>
  !isDeeperThan(maxDepth, value) && JSON.stringify(value) === text;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words would quote the body, which may hold credentials.
    throw malformed();
  }
}

const malformed = (): SmError => smError('BadRequest', 'the request body is no valid JSON');

function faulty(fault: JsonFault): SmError {
  if (fault.type === 'depth') return smError('BadRequest', `the request body is nested deeper than ${maxDepth} levels`);
  const { key } = fault;
  return smError('BadRequest', `the request body has the key ${JSON.stringify(key)} twice`, { field: key });
}
