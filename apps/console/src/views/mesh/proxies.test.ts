import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProxyStream, SyncState } from '@chandlery/mesh/kinds';
import { proxyRows } from './proxies.ts';

const stream = (nodeId: string, ...states: readonly SyncState[]): ProxyStream =>
  ({
    nodeId,
    replica: 'one',
    types: states.map((state, index) => ({ type: `t${index}`, state })),
  }) as unknown as ProxyStream;

test('a proxy with a stream for each type is one row; trouble comes first', () => {
  const rows = proxyRows([
    stream('b', 'SYNCED', 'NOT_SENT'),
    stream('a', 'SYNCED'),
    stream('c', 'SYNCED'),
    stream('c', 'ERROR'),
    stream('d', 'NOT_SENT'),
    stream('e', 'STALE', 'SYNCED'),
  ]);
  assert.deepEqual(
    rows.map(({ stream: { nodeId }, state, types }) => [nodeId, state, types.length]),
    [
      ['c', 'ERROR', 2],
      ['e', 'STALE', 2],
      ['d', 'NOT_SENT', 1],
      ['a', 'SYNCED', 1],
      ['b', 'SYNCED', 2],
    ],
  );
});
