import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@chandlery/testing';
import { StalledConnections } from './stalled-connections.ts';
import { readAll, sendRaw, startTestHost } from './test-host.ts';

const stallMs = 60_000;
/** Much more than the kernel's buffers take of a connection. */
const large = Buffer.alloc(32 * 1024 * 1024);

/** A connection with the server's end of it, on which much waits for a client that does not read yet. */
async function connectPair(stack: AsyncDisposableStack): Promise<{ ours: Socket; client: Socket }> {
  const server = stack.adopt(createServer(), each => void each.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = stack.adopt(connect((server.address() as AddressInfo).port, '127.0.0.1'), each => void each.destroy());
  const [ours] = (await once(server, 'connection')) as [Socket];
  ours.on('error', () => {});
  client.on('error', () => {});
  stack.defer(() => void ours.destroy());
  for (let offset = 0; offset < large.length; offset += 65_536) ours.write(large.subarray(offset, offset + 65_536));
  return { ours, client };
}

test('a connection whose client takes nothing is cut, one whose client reads a little is not', async () => {
  await using stack = new AsyncDisposableStack();
  let now = 0;
  const limits = { sendStallMs: stallMs, timeoutCheckMs: stallMs };
  using stalled = new StalledConnections(limits, () => now);
  const silent = await connectPair(stack);
  const reading = await connectPair(stack);
  for (const { ours } of [silent, reading]) stalled.add(ours);
  const sent = (): number => reading.ours.bytesWritten - reading.ours.writableLength;
  const readSome = async (): Promise<void> => {
    const before = sent();
    await eventually(() => (reading.client.read(), sent() > before));
  };
  // The kernel takes a part for those who do not read, too.
  await eventually(async () => {
    const before = [silent, reading].map(({ ours }) => ours.writableLength);
    await sleep(100);
    return [silent, reading].every(({ ours }, index) => ours.writableLength === before[index]);
  });
  stalled.check();
  now += stallMs - 1;
  await readSome();
  stalled.check();
  assert.deepEqual([silent.ours.destroyed, reading.ours.destroyed], [false, false]);
  now += 1;
  stalled.check();
  assert.deepEqual([silent.ours.destroyed, reading.ours.destroyed], [true, false]);
  now += stallMs - 1;
  stalled.check();
  assert.equal(reading.ours.destroyed, true);
});

test('a host cuts off a client that takes nothing of its response', async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await startTestHost(
    host =>
      host.app.get('/large', (_request, reply) => {
        reply.raw.once('close', closed.resolve);
        return reply.send(large);
      }),
    { limits: { sendStallMs: 200, timeoutCheckMs: 50 } },
  );
  const socket = await sendRaw(server.port, 'GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  socket.pause();
  await closed.promise;
  assert.ok((await readAll(socket.resume())).length < large.length);
});
