import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@chandlery/api';
import type { SmError } from '../../errors.ts';
import { errorDocument } from '../../model/operations/operation-end.ts';

/** What a platform is answered. */
export interface OsbResponse {
  readonly status: number;
  /** Names in lower case. Default: none but those of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** A JSON object as an answer. */
export const jsonResponse = (status: number, body: JsonObject): OsbResponse => ({ status, body: JSON.stringify(body) });

/**
 * An error as platforms read it. Unlike over REST, `Retry-After` is always seconds: platforms read nothing else.
 * `allowed`: what could have been done instead of what is not allowed.
 */
export function errorResponse(error: SmError, allowed: readonly string[]): OsbResponse {
  const { retryAfterSeconds } = error.facts;
  return {
    ...jsonResponse(error.status, errorDocument(error)),
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
      ...(error.status === 405 && { allow: allowed.join(', ') }),
      ...(error.status === 401 && { 'www-authenticate': 'Basic realm="Service Manager"' }),
    },
  };
}

/** Up to this size bytes are sent as a text: Node joins that to the head and writes once, where bytes make a second piece. */
const maxTextBytes = 16 * 1024;

/** Writes an answer, whole and at once. `framing`: its further headers. Nothing is written for a platform that has hung up. */
export function sendResponse(
  response: ServerResponse,
  { status, headers, body }: OsbResponse,
  framing: Readonly<Record<string, string>>,
): void {
  if (response.destroyed || response.headersSent) return;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const own: Record<string, string | number> = { ...framing, 'content-type': 'application/json', ...headers };
  if (status !== 304) own['content-length'] = length;
  response.writeHead(status, own);
  if (status === 304) response.end();
  else if (typeof body === 'string' || length > maxTextBytes) response.end(body);
  else response.end(body.toString('latin1'), 'latin1');
}
