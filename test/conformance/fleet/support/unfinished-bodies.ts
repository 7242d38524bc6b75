import { once } from 'node:events';
import { connect } from 'node:tls';
import type { TestLandscape } from '@chandlery/testing';

/** A request whose headers are sent and whose body never is. */
export interface UnfinishedBody {
  readonly path: string;
  readonly token: string;
  readonly bytes: number;
}

/** Opens connections with such a request each; leaving the `await using` block closes them. */
export async function sendUnfinishedBodies(
  { port, ca }: Pick<TestLandscape, 'port' | 'ca'>,
  { path, token, bytes }: UnfinishedBody,
  count: number,
): Promise<AsyncDisposable> {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
  ].join('\r\n');
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ host: '127.0.0.1', port, ca });
      socket.on('error', () => undefined);
      await once(socket, 'secureConnect');
      socket.write(`${head}\r\n\r\n`);
      return socket;
    }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(
        sockets.map(async socket => {
          const closed = once(socket, 'close');
          socket.destroy();
          await closed;
        }),
      );
    },
  };
}
