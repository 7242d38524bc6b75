import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createClient } from '@chandlery/client';
import { readCluster } from './cluster-objects.ts';

const documents: Readonly<Record<string, object>> = {
  '/apis': { groups: [{ preferredVersion: { groupVersion: 'metrics.example.com/v1' } }] },
  '/api/v1': { resources: [{ name: 'services', kind: 'Service', verbs: ['get', 'list', 'watch'] }] },
  '/api/v1/services': { metadata: {}, items: [{ metadata: { name: 'books', uid: '1' } }] },
  '/apis/metrics.example.com/v1': { resources: [{ name: 'services', kind: 'ServiceMetrics', verbs: ['get', 'list'] }] },
  '/apis/metrics.example.com/v1/services': { metadata: {}, items: [{ metadata: { name: 'books' } }] },
};

/** A server of these documents. */
async function serve(served: Readonly<Record<string, object>>) {
  const server = createServer((asked, answer) => {
    const document = served[new URL(asked.url ?? '', 'http://cluster').pathname];
    answer.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    answer.end(JSON.stringify(document ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = createClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const close = async (): Promise<void> => {
    await client[Symbol.asyncDispose]();
    server.close();
  };
  return { client, [Symbol.asyncDispose]: close };
}

test('metrics, which are made when they are read, are no objects of a cluster', async () => {
  await using served = await serve(documents);
  const { all } = await readCluster(served.client);
  assert.deepEqual(
    all.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ['Service books'],
  );
});

test('of one namespace only its own objects are read, and those without a namespace', async () => {
  const verbs = ['get', 'list', 'watch'];
  await using served = await serve({
    '/apis': {},
    '/api/v1': {
      resources: [
        { name: 'services', kind: 'Service', namespaced: true, verbs },
        { name: 'nodes', kind: 'Node', namespaced: false, verbs },
      ],
    },
    // Lists of all namespaces are not served: they would be an error here.
    '/api/v1/namespaces/acme/services': { metadata: {}, items: [{ metadata: { name: 'own', uid: '1' } }] },
    '/api/v1/nodes': { metadata: {}, items: [{ metadata: { name: 'node', uid: '2' } }] },
  });
  const { all } = await readCluster(served.client, { only: 'acme' });
  assert.deepEqual(all.map(({ metadata }) => metadata.name).sort(), ['node', 'own']);
});
