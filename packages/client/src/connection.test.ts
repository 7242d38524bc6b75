import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, test } from 'node:test';
import { createClient } from './http-client.ts';
import { sendJson, startTestServer } from './test-server.ts';

const ref = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default', name: 'a' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const startEcho = () => startTestServer((_request, response) => sendJson(response, 200, object));

/** A real proxy: it connects to any requested host, and records it. */
async function startProxy(): Promise<AsyncDisposable & { readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer();
  server.on('connect', ({ url = '', headers }, socket) => {
    asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim());
    const [host = '', port = ''] = url.split(':');
    const onward = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    onward.pipe(socket).pipe(onward);
    for (const end of [onward, socket]) end.on('error', () => [onward.destroy(), socket.destroy()]);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://user:pass@127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

describe('a connection', () => {
  test('goes through the proxy, certificates and all', async () => {
    await using server = await startEcho();
    await using proxy = await startProxy();
    const { clientCertificate, connection } = server;
    await using client = createClient({ ...connection, clientCertificate, proxyUrl: proxy.url });
    assert.deepEqual(await client.get(ref), object);
    assert.deepEqual(proxy.asked, [`${new URL(server.url).host} Basic ${Buffer.from('user:pass').toString('base64')}`]);
    assert.equal(server.seen[0]?.certificateName, 'jane');
    assert.equal(server.seen[0]?.url, '/clusters/a/api/v1/namespaces/default/configmaps/a');
  });

  test('that no proxy takes fails like any other', async () => {
    await using server = await startEcho();
    await using client = createClient({ ...server.connection, proxyUrl: 'http://127.0.0.1:1' });
    await assert.rejects(client.get(ref), { code: 'ConnectionFailed' });
  });

  test('impersonates a user on request', async () => {
    await using server = await startEcho();
    const impersonate = { user: 'jane', uid: '7', groups: ['a', 'b'], extra: { 'x/y': ['1'] } };
    await using client = createClient({ ...server.connection, impersonate });
    await client.get(ref);
    const { headers } = server.seen[0] ?? assert.fail();
    assert.equal(headers['impersonate-user'], 'jane');
    assert.equal(headers['impersonate-uid'], '7');
    assert.equal(headers['impersonate-group'], 'a, b');
    assert.equal(headers['impersonate-extra-x%2fy'], '1');
  });

  test('may know its user by password, and whose fields it writes', async () => {
    await using server = await startEcho();
    const { token: _, ...connection } = server.connection;
    const basicAuth = { username: 'u', password: 'p' };
    await using client = createClient({ ...connection, basicAuth, fieldManager: 'me' });
    await client.patch(ref, { type: 'apply', body: object });
    const { headers, url } = server.seen[0] ?? assert.fail();
    assert.equal(headers.authorization, `Basic ${Buffer.from('u:p').toString('base64')}`);
    assert.match(url, /\?fieldManager=me$/);
  });
});

describe('a watch with an idle limit', () => {
  const line = `${JSON.stringify({ type: 'BOOKMARK', object })}\n`;
  const { name: _, ...configMaps } = ref;

  test('stalls when the server falls silent, and its connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startTestServer((_request, response) => {
      response.once('close', closed.resolve);
      response.write(line);
    });
    await using client = createClient(server.connection);
    const seen: string[] = [];
    const watching = async () => {
      for await (const { type } of client.watch(configMaps, { idleTimeoutMs: 50 })) seen.push(type);
    };
    await assert.rejects(watching(), { code: 'WatchStalled', message: new RegExp(server.url) });
    assert.deepEqual(seen, ['BOOKMARK']);
    await closed.promise;
  });

  test('stalls when the server does not even answer', async () => {
    await using server = await startTestServer(() => {});
    await using client = createClient(server.connection);
    await assert.rejects(Array.fromAsync(client.watch(configMaps, { idleTimeoutMs: 50 })), { code: 'WatchStalled' });
  });

  test('does not mind a reader that takes its time', async () => {
    await using server = await startTestServer((_request, response) => void response.end(line + line));
    await using client = createClient(server.connection);
    let count = 0;
    for await (const _event of client.watch(configMaps, { idleTimeoutMs: 200 })) {
      count++;
      await new Promise(resolve => setTimeout(resolve, 250));
    }
    assert.equal(count, 2);
  });
});
