import { type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { asBuffer } from './call-port.ts';
import { clientGone } from './client-gone.ts';
import type { Connection } from './connection.ts';
import { noted, type ServeCallOptions } from './serve-call.ts';

/** One request and where it comes from. */
export interface UnaryRequest {
  readonly message: Buffer;
  readonly connection: Connection;
  /** Aborts when the client does not wait any longer. */
  readonly signal: AbortSignal;
}

type Options = Pick<ServeCallOptions, 'connections' | 'logger' | 'metrics'>;
type Answer = (request: UnaryRequest) => Promise<Uint8Array>;

/** Serves calls of one request and one answer. */
export const serveUnary =
  (options: Options, answer: Answer) =>
  (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
    void answerTo(call, options, answer).then(
      message => callback(null, asBuffer(message)),
      (error: unknown) => {
        const { code, details } = noted(error, options);
        callback({ code: status[code], details });
      },
    );
  };

async function answerTo(
  call: ServerUnaryCall<Buffer, Buffer>,
  { connections }: Options,
  answer: Answer,
): Promise<Uint8Array> {
  const gone = new AbortController();
  call.once('cancelled', () => gone.abort(clientGone()));
  const connection = connections.byPeer(call.getPeer());
  return answer({ message: call.request, connection, signal: gone.signal });
}
