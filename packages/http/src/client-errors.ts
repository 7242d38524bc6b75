import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ChandleryError } from '@chandlery/api';
import { renderJsonError } from './error-renderer.ts';

/** Whether a response has been started on a connection. */
export interface ActiveResponses {
  get(socket: Socket): ServerResponse | undefined;
}

/**
 * Responds to what never became a request: broken syntax, too large headers, too slow clients.
 *
 * There is no path yet, so no lens can render these. When an answer has begun on the connection nothing may be mixed
 * into it, and the connection is cut.
 */
export function respondToClientErrors(server: Server, active: ActiveResponses): void {
  server.on('clientError', (cause: NodeJS.ErrnoException, socket: Socket) => {
    const response = active.get(socket);
    const isAnswering = response !== undefined && response.headersSent && !response.writableFinished;
    if (isNobodysFault(cause) || !socket.writable || isAnswering) return socket.destroy();
    return socket.end(formatResponse(clientError(cause)), () => socket.destroy());
  });
}

/**
 * A reset, or data that came while Node had paused the parser of the connection: it pauses when a client pipelines requests
 * without reading the responses, and cannot continue. The data may be perfectly valid.
 */
const isNobodysFault = ({ code }: NodeJS.ErrnoException): boolean => code === 'ECONNRESET' || code === 'HPE_PAUSED';

function clientError(cause: NodeJS.ErrnoException): ChandleryError {
  switch (cause.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ChandleryError('RequestHeaderFieldsTooLarge', 'the request headers are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ChandleryError('RequestTimeout', 'the request did not arrive in time');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ChandleryError('RequestEntityTooLarge', 'the chunk extensions are too large');
    default:
      return new ChandleryError('BadRequest', 'the request is not valid HTTP');
  }
}

/** An answer for a connection on which no request can be answered any more. */
export function formatResponse(error: ChandleryError): string {
  const { status, body } = renderJsonError(error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
