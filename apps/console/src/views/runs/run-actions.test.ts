import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOffered, type RunAction, type RunState, reasonAgainst, runActions } from './run-actions.ts';

const running: RunState = {
  isEnded: false,
  hasSucceeded: false,
  isStarted: true,
  isSuspended: false,
  shutdown: undefined,
  isStanding: false,
};
const cases: readonly (readonly [why: string, change: Partial<RunState>, possible: readonly RunAction[]])[] = [
  ['running', {}, ['suspend', 'stop', 'terminate', 'resubmit']],
  ['suspended', { isSuspended: true }, ['resume', 'stop', 'terminate', 'resubmit']],
  ['not started', { isStarted: false }, ['stop', 'terminate', 'resubmit']],
  ['being stopped', { shutdown: 'stop' }, ['suspend', 'terminate', 'resubmit']],
  ['being terminated', { shutdown: 'terminate' }, ['suspend', 'resubmit']],
  ['failed', { isEnded: true }, ['retry', 'resubmit']],
  ['succeeded', { isEnded: true, hasSucceeded: true }, ['resubmit']],
  ['a standing order has ended', { isEnded: true, isStanding: true }, ['resubmit']],
];

for (const [why, change, possible] of cases)
  test(`what is possible when it is ${why}`, () => {
    const state = { ...running, ...change };
    const found = runActions.filter(action => isOffered(action, state) && reasonAgainst(action, state) === undefined);
    assert.deepEqual(found, possible);
  });
