import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';

/** Whether nothing can be sent any longer: the client has gone, or has dropped the call. */
export const isClosed = ({ destroyed, closed }: ServerHttp2Stream): boolean => destroyed || closed;

/** Answers with headers and nothing else. A client that has gone by then does not hear it. */
export function respondOnce(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  if (!isClosed(stream)) stream.respond(headers, { endStream: true });
}
