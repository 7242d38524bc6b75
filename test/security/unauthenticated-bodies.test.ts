import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { type HostileLandscape, startHostileLandscape } from './support/hostile-landscape.ts';
import { configMap, corePath, expectStatus } from './support/objects.ts';
import { connectMany, connectRaw } from './support/raw-connection.ts';

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
const bodyBytes = 3_000_000;

const head = (method: string, path: string, ...headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');

/** The text that has come when the head of a response has; empty when the connection ends without one. */
function firstResponse(socket: TLSSocket): Promise<string> {
  return new Promise(resolve => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\r\n\r\n')) resolve(text);
    });
    socket.once('close', () => resolve(text));
  });
}

test('300 anonymous bodies that stop before their end are answered at once and not held', async () => {
  const earlier = await hostile.metric('process_resident_memory_bytes');
  const sockets = await connectMany(hostile.landscape, 300);
  const responses = sockets.map(firstResponse);
  const part = Buffer.alloc(bodyBytes - 100_000, 'x');
  for (const socket of sockets) {
    socket.write(head('POST', maps, `Content-Length: ${bodyBytes}`));
    socket.write(part);
  }
  for (const response of await Promise.all(responses)) assert.match(response, /^HTTP\/1\.1 40[13] [^]*"kind":"Status"/);
  const grown = (await hostile.metric('process_resident_memory_bytes')) - earlier;
  for (const socket of sockets) socket.destroy();
  assert.ok(grown < 300 * mebibyte, `the process grew by ${Math.round(grown / mebibyte)} MiB`);
});

const doors: readonly (readonly [method: string, path: string])[] = [
  ['POST', maps],
  ['PATCH', `${maps}/x`],
  ['POST', '/clusters/no-such-cluster/api/v1/namespaces'],
  ['POST', '/v1/service_brokers'],
  ['PATCH', '/v1/service_instances/x'],
  ['PUT', '/v1/osb/0d8d1f3c-7f0e-4c57-9a3e-0a4b9b3f6b6e/v2/service_instances/x'],
  ['POST', '/mesh/v1/clusters/shop/namespaces/default/serviceaccounts/default/certificates'],
];
for (const [method, path] of doors)
  test(`the body of an anonymous ${method} ${path} is not read`, async () => {
    for (const length of [`Content-Length: ${bodyBytes}`, 'Transfer-Encoding: chunked']) {
      const socket = await connectRaw(hostile.landscape);
      const response = firstResponse(socket);
      socket.write(head(method, path, length));
      assert.match(await response, /^HTTP\/1\.1 40[13] [^]*connection: close/i);
      socket.destroy();
    }
  });

test('one user may not have any number of bodies in memory, and does not affect other users', async () => {
  const { landscape, admin } = hostile;
  const sockets = await connectMany(landscape, 40);
  const responses = sockets.map(firstResponse);
  const as = [`Authorization: Bearer ${landscape.token}`, `Content-Length: ${bodyBytes}`];
  for (const socket of sockets) socket.write(head('POST', maps, ...as));
  const refused = await Promise.any(responses);
  assert.match(refused, /^HTTP\/1\.1 429 [^]*retry-after: 1[^]*"reason":"TooManyRequests"/i);
  const token = await admin.send(`${corePath('shop', 'default')}/serviceaccounts/default/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  // The administrator's budget is used up, too; a read needs none.
  assert.equal(token.status, 201);
  expectStatus(await admin.send(maps), 200);
  for (const socket of sockets) socket.destroy();
  const created = await admin.send(maps, { body: configMap('afterwards') });
  expectStatus(created, 201);
});
