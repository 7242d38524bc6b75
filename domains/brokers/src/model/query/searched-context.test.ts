import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchedContext } from './searched-context.ts';

const cases: readonly [why: string, row: Parameters<typeof searchedContext>[0], context: unknown][] = [
  ['nothing is known', { spec: {}, status: {} }, undefined],
  ['other labels are not places', { spec: { labels: { tier: ['a'] } }, status: {} }, undefined],
  ['the context alone', { spec: {}, status: { context: { namespace: 'n' } } }, { namespace: 'n' }],
  [
    'the labels alone',
    { spec: { labels: { _clusterid: ['c'], _namespace: ['n'] } }, status: {} },
    { clusterid: 'c', namespace: 'n' },
  ],
  [
    'the context comes first',
    {
      spec: { labels: { _clusterid: ['c'], _namespace: ['n'] } },
      status: { context: { namespace: 'other', platform: 'p' } },
    },
    { clusterid: 'c', namespace: 'other', platform: 'p' },
  ],
];
for (const [why, row, context] of cases) {
  test(`searched context: ${why}`, () => assert.deepEqual(searchedContext(row), context));
}
