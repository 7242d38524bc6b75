import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { HttpHost } from './http-host.ts';
import type { HttpLimits } from './limits.ts';
import { readAll, sendRaw, startTestHost } from './test-host.ts';

const mebibyte = 1024 * 1024;
/** Much more than the kernel's buffers take of a connection. */
const large = Buffer.alloc(16 * mebibyte, 'x');

async function startHost(limits: Partial<HttpLimits>) {
  const produced = new Map<string, number>();
  const addRoutes = (host: HttpHost): void => {
    host.app.get('/large/:who', (request, reply) => {
      host.identify(reply.raw, (request.params as { who: string }).who);
      return reply.send(large);
    });
    host.app.get('/pieces/:who', async (request, reply) => {
      const { who } = request.params as { who: string };
      host.identify(reply.raw, who);
      await host.sendPieces(reply, pieces(who, produced));
    });
  };
  const server = await startTestHost(addRoutes, { limits });
  return Object.assign(server, { produced });
}

async function* pieces(who: string, produced: Map<string, number>): AsyncGenerator<Buffer> {
  for (let count = 1; count <= 64; count++) {
    produced.set(who, count);
    yield Buffer.alloc(mebibyte, 'y');
  }
}

async function askWithoutReading(port: number, path: string): Promise<Socket> {
  const socket = await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  socket.pause();
  return socket;
}

test('unread responses are cut when one identity has too many, and not those of others', async () => {
  await using server = await startHost({ unreadBytesPerIdentity: 20 * mebibyte });
  const other = await askWithoutReading(server.port, '/large/bob');
  const own: Socket[] = [];
  for (let index = 0; index < 5; index++) own.push(await askWithoutReading(server.port, '/large/ann'));
  await eventually(async () => (await fetch(`${server.url}/livez`)).ok);
  const lengths = await Promise.all(own.map(async socket => (await readAll(socket.resume())).length));
  const whole = lengths.filter(length => length > large.length).length;
  assert.ok(whole >= 1 && whole <= 3, `${whole} of 5 were held in memory`);
  assert.ok((await readAll(other.resume())).length > large.length, "another identity's response was cut");
});

test('pieces are produced only as far as the client reads', async () => {
  await using server = await startHost({});
  const silent = await askWithoutReading(server.port, '/pieces/ann');
  await eventually(() => (server.produced.get('ann') ?? 0) > 0);
  const whole = await (await fetch(`${server.url}/pieces/bob`)).arrayBuffer();
  assert.equal(whole.byteLength, 64 * mebibyte);
  assert.ok(
    (server.produced.get('ann') ?? 0) < 20,
    `${server.produced.get('ann')} pieces were produced without a reader`,
  );
  silent.destroy();
});

test('pieces wait while other responses of the identity have used up its budget', async () => {
  await using server = await startHost({ unreadBytesPerIdentity: 10 * mebibyte });
  const silent = await askWithoutReading(server.port, '/large/ann');
  await once(silent, 'readable');
  const waiting = fetch(`${server.url}/pieces/ann`).then(response => response.arrayBuffer());
  const other = await (await fetch(`${server.url}/pieces/bob`)).arrayBuffer();
  assert.equal(other.byteLength, 64 * mebibyte);
  assert.equal(server.produced.get('ann'), 1);
  silent.destroy();
  assert.equal((await waiting).byteLength, 64 * mebibyte);
});
