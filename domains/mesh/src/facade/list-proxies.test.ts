import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listProxies } from './list-proxies.ts';

const sources = (silent: readonly string[]) => ({
  replica: 'r2',
  ownProxies: (mesh: string) => (mesh === 'acme' ? [{ nodeId: 'own' }] : []),
  inquiries: {
    ask: async () => ({
      answers: new Map([
        ['r3', [{ nodeId: 'c' }]],
        ['r1', [{ nodeId: 'a' }, { nodeId: 'b' }]],
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
