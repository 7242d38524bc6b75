import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { eventually } from '@chandlery/testing';
import type { EventStream, EventStreamOptions, StreamEnd } from './event-stream.ts';
import { listenTls, readAll, sendRaw, startTestHost, type TestHost } from './test-host.ts';

interface StreamHost extends TestHost {
  /** The stream of the next request to `/watch`. */
  nextStream(): Promise<EventStream>;
  readonly ends: StreamEnd[];
}

async function startStreamHost(options: EventStreamOptions = {}): Promise<StreamHost> {
  const opened: EventStream[] = [];
  const ends: StreamEnd[] = [];
  const server = await startTestHost(host => {
    host.app.get('/watch', (_request, reply) => {
      reply.header('content-type', 'application/json');
      opened.push(host.openStream(reply, { onClose: end => ends.push(end), ...options }));
    });
  });
  return {
    ...server,
    ends,
    nextStream: () => eventually(() => opened.shift()),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

const watch = (port: number) => sendRaw(port, 'GET /watch HTTP/1.1\r\nHost: x\r\n\r\n');
const frame = (text: string) => Buffer.from(text);

describe('a stream', () => {
  test('sends its headers before any frame', async () => {
    await using server = await startStreamHost();
    const response = await fetch(`${server.url}/watch`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    await response.body?.cancel();
  });

  test('joins the frames of one turn into one chunk', async () => {
    await using server = await startStreamHost();
    const socket = await watch(server.port);
    const answer = readAll(socket);
    const stream = await server.nextStream();
    for (const text of ['one\n', 'two\n', 'three\n']) stream.write(frame(text));
    await nextTurn();
    await nextTurn();
    stream.write(frame('four\n'));
    stream.end(frame('last\n'));
    await eventually(() => server.ends.length === 1);
    socket.end();
    assert.match(await answer, /\r\n\r\ne\r\none\ntwo\nthree\n\r\na\r\nfour\nlast\n\r\n0\r\n\r\n$/);
    assert.deepEqual(server.ends, ['ended']);
  });

  test('is forgotten when the client goes', async () => {
    await using server = await startStreamHost();
    const socket = await watch(server.port);
    const stream = await server.nextStream();
    assert.equal(server.host.streamCount, 1);
    socket.destroy();
    await eventually(() => server.host.streamCount === 0);
    assert.equal(stream.isOpen, false);
    assert.equal(stream.write(frame('into the void')), false);
    stream.end();
    stream.cut();
    assert.deepEqual(server.ends, ['gone']);
  });

  test('does not end because the request has been read', async () => {
    await using server = await startStreamHost();
    const socket = await watch(server.port);
    const stream = await server.nextStream();
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    assert.ok(stream.isOpen);
    socket.destroy();
  });

  test('is cut when the client does not read, and never holds much more than allowed', async () => {
    const maxBufferedBytes = 1024 * 1024;
    await using server = await startStreamHost({ maxBufferedBytes });
    const socket = await watch(server.port);
    const stream = await server.nextStream();
    await once(socket, 'data');
    socket.pause();
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let most = 0;
    for (let sent = 0; stream.isOpen && sent < 1024; sent += 1) {
      stream.write(chunk);
      most = Math.max(most, stream.bufferedBytes);
      await nextTurn();
    }
    await eventually(() => server.ends.length === 1);
    assert.deepEqual(server.ends, ['too-slow']);
    assert.ok(most <= maxBufferedBytes + chunk.length, `${most} bytes were waiting`);
    socket.destroy();
  });

  test('carries any amount to a client that reads when the producer waits', async () => {
    await using server = await startStreamHost({ maxBufferedBytes: 512 * 1024 });
    const response = await fetch(`${server.url}/watch`);
    const stream = await server.nextStream();
    const received = response.arrayBuffer();
    const chunk = Buffer.alloc(100_000, 'x');
    for (let sent = 0; sent < 100; sent += 1) {
      if (!stream.write(chunk)) await stream.drained();
    }
    stream.end();
    assert.equal((await received).byteLength, 10_000_000);
  });

  test('carries any amount over TLS too', async () => {
    await using server = await startStreamHost();
    const { port, ca } = await listenTls(server.host);
    const socket = connectTls({ host: '127.0.0.1', port, ca });
    socket.write('GET /watch HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const received = readAll(socket);
    const stream = await server.nextStream();
    for (let sent = 0; sent < 100; sent += 1) {
      if (!stream.write(Buffer.alloc(10_000, 'x'))) await stream.drained();
    }
    stream.end();
    assert.ok((await received).length > 1_000_000);
  });

  test('carries one frame larger than the limit', async () => {
    await using server = await startStreamHost({ maxBufferedBytes: 1000 });
    const response = await fetch(`${server.url}/watch`);
    const stream = await server.nextStream();
    stream.write(Buffer.alloc(5_000_000));
    stream.end();
    assert.equal((await response.arrayBuffer()).byteLength, 5_000_000);
  });

  test('stops waiting for a client that has disconnected', async () => {
    await using server = await startStreamHost();
    const socket = await watch(server.port);
    const stream = await server.nextStream();
    await once(socket, 'data');
    socket.pause();
    while (stream.write(Buffer.alloc(256 * 1024))) await nextTurn();
    const waiting = stream.drained();
    socket.destroy();
    await waiting;
  });
});

test('closing the host ends all streams properly', async () => {
  await using server = await startStreamHost();
  const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(`${server.url}/watch`)));
  assert.equal(server.host.streamCount, 20);
  const stream = await server.nextStream();
  stream.write(frame('last words'));
  await server.host.close({ graceMs: 60_000 });
  const texts = await Promise.all(responses.map(response => response.text()));
  assert.deepEqual(texts.sort(), [...Array<string>(19).fill(''), 'last words']);
  assert.deepEqual(server.ends, Array(20).fill('ended'));
  assert.equal(server.host.streamCount, 0);
});
