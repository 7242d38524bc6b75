import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { TestLandscape } from '@chandlery/testing';

/** A TLS connection that says just what the test says. */
export async function connectRaw({ port, ca }: TestLandscape): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** Opens many of them, some at a time. */
export async function connectMany(landscape: TestLandscape, count: number): Promise<TLSSocket[]> {
  const sockets: TLSSocket[] = [];
  while (sockets.length < count) {
    const wanted = Math.min(50, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: wanted }, () => connectRaw(landscape)))));
  }
  return sockets;
}

/** Everything that arrives until the other side closes. */
export async function readToEnd(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

/** Sends bytes on a new connection and returns what comes back until it is closed. */
export async function exchange(landscape: TestLandscape, text: string): Promise<string> {
  const socket = await connectRaw(landscape);
  const answer = readToEnd(socket);
  socket.write(text);
  return await answer;
}
