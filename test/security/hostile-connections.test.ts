import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { eventually } from '@chandlery/testing';
import { type HostileLandscape, startHostileLandscape } from './support/hostile-landscape.ts';
import { configMap, corePath, create, expectStatus } from './support/objects.ts';
import { connectMany, connectRaw, exchange, readToEnd } from './support/raw-connection.ts';

let hostile: HostileLandscape;

before(async () => {
  hostile = await startHostileLandscape();
});
after(async () => {
  await hostile?.expectHealthy();
  await hostile?.[Symbol.asyncDispose]();
});

const mebibyte = 1024 * 1024;
const maps = `${corePath('shop', 'default')}/configmaps`;

/** A request's head, without its end. */
const head = (method: string, path: string, ...headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${hostile.landscape.token}`, ...headers, ''].join(
    '\r\n',
  );

const isServing = async (): Promise<void> => void expectStatus(await hostile.admin.send(maps), 200);

async function closeAll(sockets: readonly TLSSocket[]): Promise<void> {
  for (const socket of sockets) socket.destroy();
}

async function memory(): Promise<number> {
  return await hostile.metric('process_resident_memory_bytes');
}

const openStreams = (): Promise<number> => hostile.metric('chandlery_http_open_streams');

test('connections that never finish their headers are closed, and delay no other request', async () => {
  const sockets = await connectMany(hostile.landscape, 100);
  for (const socket of sockets) socket.write(head('GET', maps));
  await isServing();
  const answers = await Promise.all(sockets.map(readToEnd));
  for (const answer of answers) assert.match(answer, /^(HTTP\/1\.1 408 |$)/);
});

test('bodies that never end delay no other request', async () => {
  const sockets = await connectMany(hostile.landscape, 100);
  for (const socket of sockets)
    socket.write(`${head('POST', maps, 'Content-Type: application/json', 'Content-Length: 1000')}\r\n{`);
  await isServing();
  await closeAll(sockets);
  await isServing();
});

test('an upload that is cut off leaves nothing behind', async () => {
  const socket = await connectRaw(hostile.landscape);
  const body = JSON.stringify(configMap('half'));
  const length = `Content-Length: ${body.length + 1}`;
  socket.write(`${head('POST', maps, 'Content-Type: application/json', length)}\r\n${body}`);
  socket.end();
  await once(socket.resume(), 'close');
  expectStatus(await hostile.admin.send(`${maps}/half`), 404);
});

test('idle connections delay no other request', async () => {
  const sockets = await connectMany(hostile.landscape, 300);
  await isServing();
  await closeAll(sockets);
});

test('floods of headers are rejected', async () => {
  const many = Array.from({ length: 700 }, (_, index) => `X-H${index}: y`);
  assert.match(
    await exchange(hostile.landscape, `${head('GET', maps, 'Connection: close', ...many)}\r\n`),
    /^HTTP\/1\.1 431 /,
  );
  const large = `X-Large: ${'y'.repeat(40_000)}`;
  assert.match(await exchange(hostile.landscape, `${head('GET', maps, large)}\r\n`), /^HTTP\/1\.1 431 /);
  const groups = Array.from({ length: 400 }, (_, index) => `Impersonate-Group: g${index}`);
  const impersonated = head('GET', '/clusters/shop/api', 'Connection: close', 'Impersonate-User: x', ...groups);
  assert.match(await exchange(hostile.landscape, `${impersonated}\r\n`), /^HTTP\/1\.1 200 /);
});

const garbage: readonly (readonly [string, () => string, RegExp])[] = [
  ['no HTTP at all', () => '\u0000\u0001\u0002\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['another protocol', () => 'SSH-2.0-OpenSSH\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['HTTP/2 without asking', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1\.1 (400|505) |^$/],
  ['two lengths', () => `${head('POST', maps, 'Content-Length: 1', 'Content-Length: 2')}\r\nab`, /^HTTP\/1\.1 400 /],
  [
    'a length and chunks',
    () => `${head('POST', maps, 'Content-Length: 4', 'Transfer-Encoding: chunked')}\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  ['a negative length', () => `${head('POST', maps, 'Content-Length: -1')}\r\n`, /^HTTP\/1\.1 400 /],
  ['a wrong chunk', () => `${head('POST', maps, 'Transfer-Encoding: chunked')}\r\nzz\r\n`, /^HTTP\/1\.1 400 /],
  ['an unknown method', () => `${head('FROB', maps, 'Connection: close')}\r\n`, /^HTTP\/1\.1 400 /],
  ['a method that needs no answer', () => `${head('TRACE', maps, 'Connection: close')}\r\n`, /^HTTP\/1\.1 (404|405) /],
  [
    'a header with a line break inside',
    () => `${head('GET', maps, 'Connection: close', 'X: a\rb')}\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  ['spaces in the path', () => `${head('GET', '/clusters/shop x/api', 'Connection: close')}\r\n`, /^HTTP\/1\.1 400 /],
];

for (const [what, request, answer] of garbage) {
  test(`${what} is rejected`, async () => {
    assert.match((await exchange(hostile.landscape, request())).slice(0, 200), answer);
  });
}

test('an address with a host means the same path', async () => {
  const ask = (path: string) => exchange(hostile.landscape, `${head('GET', path, 'Connection: close')}\r\n`);
  assert.match(
    await ask('http://evil.example.org/clusters/shop/api/v1/nothings'),
    /^HTTP\/1\.1 404 [^]*"kind":"Status"[^]*could not find/,
  );
  assert.match(await ask('http://x/clusters/shop/api/v1/namespaces/default'), /^HTTP\/1\.1 200 [^]*"name":"default"/);
});

for (const listener of ['the API', 'the control plane of the mesh'] as const) {
  test(`TLS 1.2 is spoken with authenticated encryption only: ${listener}`, async () => {
    const { port: apiPort, xdsPort } = hostile.landscape;
    const port = listener === 'the API' ? apiPort : xdsPort;
    const shake = (ciphers: string) => {
      const options = { host: '127.0.0.1', port, rejectUnauthorized: false, maxVersion: 'TLSv1.2', ciphers } as const;
      const socket = connect(options);
      return once(socket, 'secureConnect').finally(() => socket.destroy());
    };
    await shake('ECDHE-ECDSA-AES128-GCM-SHA256');
    const inCbcMode = 'ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA:AES128-SHA@SECLEVEL=0';
    await assert.rejects(shake(inCbcMode), /handshake/);
  });
}

test('an upgrade to another protocol is not granted', async () => {
  const request = head('GET', maps, 'Connection: Upgrade', 'Upgrade: websocket');
  const socket = await connectRaw(hostile.landscape);
  socket.write(`${request}\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  assert.doesNotMatch(first.toString(), /^HTTP\/1\.1 101 /);
  socket.destroy();
});

test('a thousand watches opened and dropped leave nothing behind', async () => {
  const before = await memory();
  for (let round = 0; round < 2; round++) {
    const sockets = await connectMany(hostile.landscape, 500);
    for (const socket of sockets) socket.write(`${head('GET', `${maps}?watch=true`)}\r\n`);
    await Promise.all(sockets.map(socket => once(socket, 'data')));
    assert.ok((await openStreams()) >= 500);
    await closeAll(sockets);
    await eventually(async () => (await openStreams()) === 0, { what: 'the streams to close', timeoutMs: 30_000 });
  }
  const grown = (await memory()) - before;
  assert.ok(grown < 300 * mebibyte, `the process grew by ${Math.round(grown / mebibyte)} MiB`);
});

test('watches that never read are cut off rather than buffered without end', async () => {
  const before = await memory();
  const sockets = await connectMany(hostile.landscape, 20);
  for (const socket of sockets) {
    socket.pause();
    socket.write(`${head('GET', `${maps}?watch=true`)}\r\n`);
  }
  await eventually(async () => (await openStreams()) === 20);
  // Each is sent 40 MB, more than the buffers of the connection take.
  for (let index = 0; index < 80; index++)
    await create(hostile.admin, maps, configMap(`large-${index}`, { a: 'x'.repeat(500_000) }));
  await eventually(async () => (await openStreams()) === 0, { what: 'the watches to be cut off', timeoutMs: 30_000 });
  const grown = (await memory()) - before;
  assert.ok(grown < 700 * mebibyte, `the process grew by ${Math.round(grown / mebibyte)} MiB`);
  await closeAll(sockets);
});
