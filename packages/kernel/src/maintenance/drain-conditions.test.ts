import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withConditions } from './drain-conditions.ts';

const object = (...conditions: readonly object[]) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'n' },
  status: { phase: 'Terminating', conditions },
});
const blocked = { type: 'Blocked', status: 'True', reason: 'Held', message: 'by two' };
const other = { type: 'Other', status: 'False', lastTransitionTime: 'long ago' };

const cases = [
  { why: 'a new one gets the present time', before: [other], time: 'now' },
  {
    why: 'a status that stays keeps its time, whatever else is said',
    before: [{ ...blocked, message: 'by three', lastTransitionTime: 'then' }, other],
    time: 'then',
  },
  {
    why: 'a status that changes gets the present time',
    before: [other, { ...blocked, status: 'False', lastTransitionTime: 'then' }],
    time: 'now',
  },
];

for (const { why, before, time } of cases) {
  test(`among conditions, ${why}`, () => {
    const { status } = withConditions(object(...before), [blocked], 'now') as ReturnType<typeof object>;
    assert.deepEqual(status, { phase: 'Terminating', conditions: [other, { ...blocked, lastTransitionTime: time }] });
  });
}
