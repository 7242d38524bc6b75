import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReplicaStream } from '../kinds/rest-documents.ts';
import { listProxies } from './list-proxies.ts';

const stream = (nodeId: string): ReplicaStream => ({
  nodeId,
  identity: `spiffe://d/${nodeId}`,
  namespace: 'shop',
  serviceAccount: 'web',
  cluster: 'eu-1',
  dialect: 'envoy',
  peer: '127.0.0.1:1',
  mode: 'delta',
  connectedAt: '2026-01-01T00:00:00Z',
  types: [],
});

const sources = (silent: readonly string[]) => ({
  replica: 'r2',
  ownProxies: (mesh: string) => (mesh === 'acme' ? [stream('own')] : []),
  inquiries: {
    ask: async () => ({
      answers: new Map([
        ['r3', [stream('c')]],
        ['r1', [stream('a'), stream('b')]],
      ]),
      silent,
    }),
  },
});

test('proxies of all replicas are listed with their replica, those of the contacted one first', async () => {
  const { items, ...rest } = await listProxies('acme', sources([]));
  assert.deepEqual(rest, { mesh: 'acme' });
  assert.deepEqual(
    items.map(({ replica, nodeId }) => `${replica} ${nodeId}`),
    ['r2 own', 'r1 a', 'r1 b', 'r3 c'],
  );
});

test('a replica that does not respond is named', async () => {
  assert.deepEqual((await listProxies('acme', sources(['r4']))).silentReplicas, ['r4']);
});
