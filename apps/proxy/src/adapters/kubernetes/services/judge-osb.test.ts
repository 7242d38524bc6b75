import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answered, judgeChange, judgePoll, type OsbChange } from './judge-osb.ts';

const lost = (isUnsent: boolean): Answered => ({ status: 'lost', message: 'took too long', isUnsent });
const answered = (status: number, json: unknown = {}): Answered => ({ status, json });

const changes: readonly (readonly [why: string, OsbChange, Answered, string])[] = [
  ['made', 'create', answered(201), 'done'],
  ['there already', 'create', answered(200), 'done'],
  ['under way', 'create', answered(202, { operation: 'o' }), 'pending'],
  ['garbled success', 'create', answered(201, 'text'), 'unclear'],
  ['garbled progress', 'create', answered(202, 'text'), 'unclear'],
  ['a success that is none', 'create', answered(204), 'unclear'],
  ['a broken broker', 'create', answered(500), 'unclear'],
  ['a timeout', 'create', lost(false), 'unclear'],
  ['nobody there', 'create', lost(true), 'rejected again'],
  ['a wrong order', 'create', answered(400), 'rejected'],
  ['a busy broker', 'create', answered(422, { error: 'ConcurrencyError' }), 'rejected again'],
  ['a clash', 'create', answered(409), 'rejected'],
  ['not received', 'create', answered(408), 'rejected again'],
  ['a broken update', 'update', answered(500), 'rejected again'],
  ['a refused update', 'update', answered(422), 'rejected'],
  ['gone already', 'delete', answered(410), 'done'],
  ['a broken removal', 'delete', answered(500), 'rejected again'],
];

for (const [why, change, answer, expected] of changes) {
  test(`${change}, ${why}: ${expected}`, () => {
    const verdict = judgeChange(change, answer);
    const isAgain = verdict.type === 'rejected' && verdict.isWorthRepeating;
    assert.equal(`${verdict.type}${isAgain ? ' again' : ''}`, expected);
  });
}

test('polling goes on until there is an end', () => {
  const poll = (change: OsbChange, answer: Answered) => judgePoll(change, answer).type;
  assert.equal(poll('create', answered(200, { state: 'in progress' })), 'pending');
  assert.equal(poll('create', answered(410)), 'pending');
  assert.equal(poll('create', answered(500)), 'pending');
  assert.equal(poll('create', lost(false)), 'pending');
  assert.equal(poll('create', answered(400)), 'failed');
  assert.equal(poll('create', answered(200, { state: 'failed' })), 'failed');
  assert.equal(poll('delete', answered(410)), 'done');
  assert.equal(poll('delete', answered(200, { state: 'succeeded' })), 'done');
});
