import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClusterParts, testCluster } from '../../model/scheduling/test-scheduling.ts';
import { type Affected, affectedRequests } from './affected-requests.ts';

interface Case {
  readonly why: string;
  readonly before?: ClusterParts;
  readonly after?: ClusterParts;
  readonly affected: Affected;
}

const none: Affected = { holders: [], givenKey: undefined, purposes: [] };
const givenKey = 'openmcp-system/a';
const exclusive = { tenancy: 'Exclusive', holders: ['1'] } as const;

const cases: readonly Case[] = [
  { why: 'nothing happened', before: { holders: ['1'] }, after: { holders: ['1'] }, affected: none },
  {
    why: 'one more of many',
    before: { holders: ['1', '2'] },
    after: { holders: ['1', '2', '3'] },
    affected: { ...none, holders: ['3'] },
  },
  {
    why: 'one less: there may be room',
    before: { holders: ['1', '2'] },
    after: { holders: ['1'] },
    affected: { holders: ['2'], givenKey: undefined, purposes: ['p'] },
  },
  { why: 'it came', after: { holders: ['1'] }, affected: { holders: ['1'], givenKey, purposes: ['p'] } },
  { why: 'it went', before: { holders: ['1'] }, affected: { holders: ['1'], givenKey, purposes: ['p'] } },
  {
    why: 'it is going',
    before: { holders: ['1'] },
    after: { holders: ['1'], isDeleting: true },
    affected: { holders: [], givenKey, purposes: ['p'] },
  },
  {
    why: 'it cannot run pods any more',
    before: { holders: ['1'], runReady: 'True' },
    after: { holders: ['1'], runReady: 'False' },
    affected: { holders: ['1'], givenKey: undefined, purposes: ['p'] },
  },
  {
    why: 'its profile declares something else',
    before: { holders: ['1'], capabilities: ['API'] },
    after: { holders: ['1'], capabilities: ['API', 'Run'] },
    affected: { holders: ['1'], givenKey: undefined, purposes: ['p'] },
  },
  {
    why: 'what it can do is stated for the first time',
    before: { holders: ['1'] },
    after: { holders: ['1'], capabilities: ['API'], runReady: 'True' },
    affected: none,
  },
  { why: 'labels of a shared one', before: {}, after: { labels: { a: 'b' } }, affected: none },
  {
    why: 'labels of an exclusive one',
    before: exclusive,
    after: { ...exclusive, labels: { a: 'b' } },
    affected: { ...none, holders: ['1'] },
  },
];

describe('A change of a cluster', () => {
  for (const { why, before, after, affected } of cases) {
    it(`concerns those who must know: ${why}`, () => {
      const made = (parts: ClusterParts | undefined) => parts && testCluster('a', parts);
      assert.deepEqual(affectedRequests(made(before), made(after)), affected);
    });
  }
});
