import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';

/** Whether nothing can be sent: the client disconnected or cancelled the call. */
export const isClosed = ({ destroyed, closed }: ServerHttp2Stream): boolean => destroyed || closed;

/** Responds with headers only, unless the client has disconnected. */
export function respondOnce(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  if (!isClosed(stream)) stream.respond(headers, { endStream: true });
}
