import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BrokerResponse, interpretChange, interpretPoll, type OsbChange } from './interpret-osb.ts';

const lost = (isUnsent: boolean): BrokerResponse => ({ status: 'lost', message: 'took too long', isUnsent });
const response = (status: number, json: unknown = {}): BrokerResponse => ({ status, json });

const changes: readonly (readonly [why: string, OsbChange, BrokerResponse, string])[] = [
  ['made', 'create', response(201), 'done'],
  ['there already', 'create', response(200), 'done'],
  ['under way', 'create', response(202, { operation: 'o' }), 'pending'],
  ['garbled success', 'create', response(201, 'text'), 'unclear'],
  ['garbled progress', 'create', response(202, 'text'), 'unclear'],
  ['a success that is none', 'create', response(204), 'unclear'],
  ['a broken broker', 'create', response(500), 'unclear'],
  ['a timeout', 'create', lost(false), 'unclear'],
  ['connection refused', 'create', lost(true), 'rejected again'],
  ['a wrong order', 'create', response(400), 'rejected'],
  ['a busy broker', 'create', response(422, { error: 'ConcurrencyError' }), 'rejected again'],
  ['a clash', 'create', response(409), 'rejected'],
  ['not received', 'create', response(408), 'rejected again'],
  ['a broken update', 'update', response(500), 'rejected again'],
  ['a refused update', 'update', response(422), 'rejected'],
  ['gone already', 'delete', response(410), 'done'],
  ['a broken removal', 'delete', response(500), 'rejected again'],
];

for (const [why, change, answer, expected] of changes) {
  test(`${change}, ${why}: ${expected}`, () => {
    const outcome = interpretChange(change, answer);
    const isAgain = outcome.type === 'rejected' && outcome.isRetryable;
    assert.equal(`${outcome.type}${isAgain ? ' again' : ''}`, expected);
  });
}

test('polling continues until a final state', () => {
  const poll = (change: OsbChange, answer: BrokerResponse) => interpretPoll(change, answer).type;
  assert.equal(poll('create', response(200, { state: 'in progress' })), 'pending');
  assert.equal(poll('create', response(410)), 'pending');
  assert.equal(poll('create', response(500)), 'pending');
  assert.equal(poll('create', lost(false)), 'pending');
  assert.equal(poll('create', response(400)), 'failed');
  assert.equal(poll('create', response(200, { state: 'failed' })), 'failed');
  assert.equal(poll('delete', response(410)), 'done');
  assert.equal(poll('delete', response(200, { state: 'succeeded' })), 'done');
});
