import type { IncomingHttpHeaders } from 'node:http';

/** The headers by which a request may be named, the most trusted first. */
const correlationHeaders = [
  'x-correlationid',
  'x-correlation-id',
  'x-forrequest-id',
  'x-request-id',
  'x-vcap-request-id',
  'x-broker-api-request-identity',
] as const;

const maxLength = 128;

/** The name of a request in logs, operations and calls to brokers: what its sender calls it, or else `generated`. */
export function correlationIdOf(headers: IncomingHttpHeaders, generated: string): string {
  for (const name of correlationHeaders) {
    const value = headers[name];
    // Only what can be a header of our own calls again is passed on.
    if (typeof value === 'string' && value !== '' && value.length <= maxLength && /^[\x20-\x7e]+$/.test(value)) {
      return value;
    }
  }
  return generated;
}
