import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { PacedResponse } from './paced-response.ts';

export interface SendOptions {
  /** The head is sent at once, not with the first piece. Default false. */
  readonly isHeadFlushed?: boolean;
}

/** Sends pieces as the client reads them. `room` resolves when another one may be produced. */
export async function sendPieces(
  reply: FastifyReply,
  pieces: AsyncIterable<Uint8Array>,
  room: (response: PacedResponse) => Promise<void>,
  { isHeadFlushed = false }: SendOptions = {},
): Promise<void> {
  const response = reply.raw;
  reply.hijack();
  response.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  if (isHeadFlushed) response.flushHeaders();
  await writePieces(response, pieces, room);
}

/** As {@link sendPieces}, for a response whose head has been written. */
export async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<Uint8Array>,
  room: (response: PacedResponse) => Promise<void>,
): Promise<void> {
  response.on('error', () => {});
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    for await (const piece of pieces) {
      if (gone.signal.aborted) return;
      if (!response.write(piece)) await drained(response, gone.signal);
      if (response instanceof PacedResponse) await room(response);
    }
    response.end();
  } catch (failure) {
    // A response that has begun cannot be taken back; cut off, it at least does not look complete.
    response.destroy();
    throw failure;
  }
}

async function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  await once(response, 'drain', { signal: gone }).catch((failure: unknown) => {
    if (!gone.aborted) throw failure;
  });
}
