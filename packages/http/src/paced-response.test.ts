import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { eventually } from '@chandlery/testing';
import type { HttpHost } from './http-host.ts';
import { listenTls, readAll, sendRaw, startTestHost } from './test-host.ts';

const largeBytes = 20 * 1024 * 1024;
const large = Buffer.alloc(largeBytes, 'x');

function addRoutes(host: HttpHost): void {
  host.app.all('/large', (_request, reply) => reply.send(large));
  host.app.all('/echo', async (request, reply) => {
    const body = await host.readBody(request.raw, reply.raw);
    return reply.send(`${body?.length ?? 0} bytes`);
  });
  host.app.all('/refused', (_request, reply) => reply.code(401).send('who are you?'));
}

/** A transport that holds back what is written to it, so that several TLS records leave in one packet. */
class HeldTransport extends Duplex {
  readonly #socket: Socket;
  #held: Buffer[] | undefined;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', chunk => this.push(chunk)).on('close', () => this.destroy());
    socket.on('error', () => {});
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    this.#socket.write(Buffer.concat(this.#held ?? []));
    this.#held = undefined;
  }

  get heldRecords(): number {
    return this.#held?.length ?? 0;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.#held === undefined) this.#socket.write(chunk);
    else this.#held.push(chunk);
    done();
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** Reads from a connection until the text of what came contains `end`. */
async function readUntil(socket: Socket | TLSSocket, end: string): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await eventually(() => text.includes(end) || socket.destroyed, { timeoutMs: 30_000 });
  return text;
}

describe('a large response', () => {
  test('arrives whole, with its length', async () => {
    await using server = await startTestHost(addRoutes);
    const response = await fetch(`${server.url}/large`);
    assert.equal(response.headers.get('content-length'), String(largeBytes));
    assert.ok(large.equals(Buffer.from(await response.arrayBuffer())));
  });

  test('that is not read does not make the next request invalid, whose body comes in a second TLS record', async () => {
    await using server = await startTestHost(addRoutes);
    const { port, ca } = await listenTls(server.host);
    const transport = new HeldTransport(connectTcp(port, '127.0.0.1'));
    const client = connectTls({ socket: transport, ca, checkServerIdentity: () => undefined });
    await once(client, 'secureConnect');
    client.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(client, 'readable');
    transport.hold();
    client.write('PATCH /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\n');
    await eventually(() => transport.heldRecords === 1);
    client.write('body');
    await eventually(() => transport.heldRecords === 2);
    transport.release();
    const text = await readUntil(client, '4 bytes');
    client.destroy();
    assert.match(text.slice(largeBytes), /HTTP\/1.1 200 OK[\s\S]*4 bytes/);
  });

  test('keeps its place among pipelined ones', async () => {
    await using server = await startTestHost(addRoutes);
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const socket = await sendRaw(
      server.port,
      `${get('/large')}${get('/large')}${get('/echo')}${get('/large', 'Connection: close\r\n')}`,
    );
    const text = await readAll(socket);
    const bodies = text.split(/HTTP\/1.1 200 OK\r\n[\s\S]*?\r\n\r\n/).map(body => body.length);
    assert.deepEqual(bodies, [0, largeBytes, largeBytes, '0 bytes'.length, largeBytes]);
  });

  test('written in many pieces keeps their order, calls back for each, and drains', async () => {
    const sent: number[] = [];
    let drains = 0;
    await using server = await startTestHost(host =>
      host.handleUnder('/pieces', (_request, response) => {
        response.on('drain', () => (drains += 1));
        for (let index = 0; index < 300; index++)
          response.write(String(index % 10).repeat(index % 3 === 0 ? 200_000 : 10), () => void sent.push(index));
        assert.equal(response.writableNeedDrain, true);
        response.end('end');
        assert.equal(response.writableEnded, true);
      }),
    );
    const text = await (await fetch(`${server.url}/pieces`)).text();
    const expected = Array.from({ length: 300 }, (_, index) =>
      String(index % 10).repeat(index % 3 === 0 ? 200_000 : 10),
    );
    assert.ok(text === `${expected.join('')}end`, 'the pieces were mixed up');
    assert.deepEqual(
      sent,
      Array.from({ length: 300 }, (_, index) => index),
    );
    assert.equal(drains, 1);
  });
});

describe('a response before the whole request has come', () => {
  const upload = (path: string, bytes: number, more = '') =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n${more}\r\n`;

  test('comes at once, and says that the connection ends', async () => {
    await using server = await startTestHost(addRoutes);
    const socket = await sendRaw(server.port, upload('/refused', 3_000_000));
    const text = await readUntil(socket, 'who are you?');
    assert.match(text, /^HTTP\/1.1 401 [\s\S]*connection: close/i);
    socket.destroy();
  });

  test('is read by a client that sends everything first', async () => {
    await using server = await startTestHost(addRoutes);
    const response = await fetch(`${server.url}/refused`, { method: 'POST', body: large });
    assert.equal(response.status, 401);
    assert.equal(await response.text(), 'who are you?');
  });

  test('does not end the connection for a little that is missing', async () => {
    await using server = await startTestHost(addRoutes);
    const socket = await sendRaw(server.port, upload('/refused', 4));
    await readUntil(socket, 'who are you?');
    socket.write(`body${upload('/echo', 4, 'Connection: close\r\n')}`);
    socket.write('body');
    assert.match(await readAll(socket), /4 bytes/);
  });

  test('makes a client that asks first keep its body', async () => {
    await using server = await startTestHost(addRoutes);
    const expect = 'Expect: 100-continue\r\n';
    const refused = await sendRaw(server.port, upload('/refused', 3_000_000, expect));
    assert.match(await readUntil(refused, 'who are you?'), /^HTTP\/1.1 401 /);
    refused.destroy();
    const accepted = await sendRaw(server.port, upload('/echo', 4, expect));
    assert.match(await readUntil(accepted, '\r\n\r\n'), /^HTTP\/1.1 100 /);
    accepted.write('body');
    assert.match(await readUntil(accepted, 'bytes'), /HTTP\/1.1 200 [\s\S]*4 bytes/);
    accepted.destroy();
  });
});
