import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { toError } from '@chandlery/api';
import type { CommonHeaders } from '@chandlery/http';
import type { SmError } from '../../errors.ts';
import { errorDocument } from '../../model/operations/operation-end.ts';
import { correlationIdOf } from '../shared/correlation-id.ts';
import { toSmError } from '../shared/render-error.ts';

/** The response to a request that is not served. */
export interface Rejection {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response for an error. `Gone` has no body, as proxies expect. */
export function rejectionFor(thrown: unknown, { headers }: IncomingMessage): Rejection {
  const error = toSmError(toError(thrown));
  const { status } = error;
  const correlationId = correlationIdOf(headers, randomUUID());
  const body = status === 410 ? '' : JSON.stringify({ ...errorDocument(error), correlation_id: correlationId });
  return {
    status,
    headers: {
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
      'content-length': String(Buffer.byteLength(body)),
      'x-correlation-id': correlationId,
      ...furtherHeaders(error),
    },
    body,
  };
}

function furtherHeaders({ status, facts: { retryAfterSeconds } }: SmError): Record<string, string> {
  return {
    ...(status === 401 ? { 'www-authenticate': 'Basic realm="Service Manager"' } : {}),
    ...(status === 405 ? { allow: 'GET' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
  };
}

/** Answers a request. */
export function rejectRequest(
  response: ServerResponse,
  { status, headers, body }: Rejection,
  common: CommonHeaders,
): void {
  response.writeHead(status, { ...common, ...headers });
  response.end(body);
}

/** Responds to a WebSocket upgrade request and closes the connection. */
export function rejectUpgrade(socket: Duplex, { status, headers, body }: Rejection): void {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  socket.end(`${head}${body}`, () => socket.destroy());
}
