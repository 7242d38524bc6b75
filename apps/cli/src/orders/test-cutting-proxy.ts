import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy that passes bytes to a server, and cuts connections when a test wants it. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections it has cut. */
  readonly cuts: number;
  /** Cuts a connection as soon as so many more bytes have passed in one direction; undefined: none. */
  cutAfter(
    bytes: number | undefined,
    options?: { readonly isFinal?: boolean; readonly from?: 'client' | 'server' },
  ): void;
}

/** Starts one before a port of this machine. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  let [left, isFinal, from, cuts] = [undefined as number | undefined, false, 'client', 0];
  const sockets = new Set<Socket>();
  const server = createServer(client => {
    // After a final cut the proxy no longer accepts connections.
    if (isFinal && left === undefined && cuts > 0) return void client.destroy();
    const upstream = connect(target, '127.0.0.1');
    const both = [client, upstream];
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => both.forEach(other => other.destroy()));
    }
    const pass = (source: Socket, sink: Socket, name: string) =>
      source.on('data', data => {
        if (name === from && left !== undefined) left -= data.length;
        if (left !== undefined && left <= 0) {
          left = undefined;
          cuts++;
          return void both.forEach(socket => socket.destroy());
        }
        if (!sink.write(data)) {
          source.pause();
          sink.once('drain', () => source.resume());
        }
      });
    pass(client, upstream, 'client');
    pass(upstream, client, 'server');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return cuts;
    },
    cutAfter: (bytes, options = {}) => {
      left = bytes;
      isFinal = options.isFinal ?? false;
      from = options.from ?? 'client';
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
