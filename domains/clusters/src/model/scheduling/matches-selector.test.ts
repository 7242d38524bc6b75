import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClusterSelector, matchesSelector } from './matches-selector.ts';
import { testCluster } from './test-scheduling.ts';

const cluster = testCluster('a', { labels: { tier: 'gold' }, purposes: ['p', 'q'] });

const cases: readonly { why: string; selector: ClusterSelector | undefined; matches: boolean }[] = [
  { why: 'no selector', selector: undefined, matches: true },
  { why: 'an empty one', selector: {}, matches: true },
  { why: 'no identities', selector: { matchIdentities: [] }, matches: false },
  { why: 'its identity', selector: { matchIdentities: [{ name: 'a', namespace: 'openmcp-system' }] }, matches: true },
  { why: 'its name elsewhere', selector: { matchIdentities: [{ name: 'a', namespace: 'x' }] }, matches: false },
  {
    why: 'identities override',
    selector: { matchIdentities: [{ name: 'a' }], matchLabels: { tier: 'x' } },
    matches: true,
  },
  { why: 'its label', selector: { matchLabels: { tier: 'gold' } }, matches: true },
  { why: 'another label', selector: { matchLabels: { tier: 'tin' } }, matches: false },
  { why: 'an expression', selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, matches: true },
  { why: 'all of its purposes', selector: purposes('ContainsAll', 'p', 'q'), matches: true },
  { why: 'more than its purposes', selector: purposes('ContainsAll', 'p', 'r'), matches: false },
  { why: 'any of its purposes', selector: purposes('ContainsAny', 'r', 'q'), matches: true },
  { why: 'none of its purposes', selector: purposes('ContainsNone', 'q'), matches: false },
  { why: 'none of others', selector: purposes('ContainsNone', 'r'), matches: true },
  { why: 'just its purposes', selector: purposes('Equals', 'q', 'p'), matches: true },
  { why: 'fewer than its purposes', selector: purposes('Equals', 'p'), matches: false },
  { why: 'other purposes', selector: purposes('Equals', 'p', 'r'), matches: false },
  {
    why: 'labels and purposes',
    selector: { matchLabels: { tier: 'gold' }, ...purposes('ContainsAny', 'r') },
    matches: false,
  },
];

function purposes(
  operator: 'ContainsAll' | 'ContainsAny' | 'ContainsNone' | 'Equals',
  ...values: string[]
): ClusterSelector {
  return { matchPurposes: [{ operator, values }] };
}

describe('A selector of clusters', () => {
  for (const { why, selector, matches } of cases) {
    it(`${matches ? 'takes' : 'leaves'} a cluster: ${why}`, () =>
      assert.equal(matchesSelector(selector, cluster), matches));
  }
});
