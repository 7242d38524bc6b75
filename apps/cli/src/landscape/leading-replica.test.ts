import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadingReplica } from './leading-replica.ts';

const report = (name: string, resourceVersion: string, isLeader: boolean) => ({
  metadata: { name, resourceVersion },
  spec: { isLeader },
});

const cases = [
  { why: 'the one that says so', reports: [report('a', '7', false), report('b', '5', true)], leader: 'b' },
  {
    why: 'the one that has written after a leader was killed',
    reports: [report('killed', '998', true), report('next', '1002', true)],
    leader: 'next',
  },
  { why: 'none, while it is taken over', reports: [report('a', '7', false)], leader: undefined },
];
for (const { why, reports, leader } of cases) {
  test(`the replica that leads is ${why}`, () => {
    assert.equal(leadingReplica(reports), leader, why);
    assert.equal(leadingReplica(reports.toReversed()), leader, why);
  });
}
