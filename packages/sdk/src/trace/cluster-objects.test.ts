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

test('metrics, which are made when they are read, are no objects of a cluster', async () => {
  const server = createServer((asked, answer) => {
    const document = documents[new URL(asked.url ?? '', 'http://cluster').pathname];
    answer.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    answer.end(JSON.stringify(document ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await using client = createClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const { all } = await readCluster(client);
    assert.deepEqual(
      all.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      ['Service books'],
    );
  } finally {
    server.close();
  }
});
