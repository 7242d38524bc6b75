import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrokerResponse } from './interpret-osb.ts';
import { advanceCreation, type Lifecycle } from './lifecycle.ts';

const failed: BrokerResponse = { status: 500, json: { description: 'no room left' } };

/** Advances a creation once per answer, and returns the messages. */
async function messagesFor(answers: readonly BrokerResponse[]): Promise<(string | undefined)[]> {
  const status: Lifecycle = {};
  const messages: (string | undefined)[] = [];
  for (const answer of answers) {
    const call = () => Promise.resolve(answer);
    const ids = { service_id: 's', plan_id: 'p' };
    const item = { status, call, path: '/v2/x', ids, now: new Date(), pollMs: 1, retryMs: 1, maxDurationMs: 60_000 };
    const progress = await advanceCreation(item, async () => ({}));
    messages.push(progress.type === 'done' ? undefined : progress.message);
  }
  return messages;
}

test("the broker's own words stay when what it may have made is removed", async () => {
  const [first, second] = await messagesFor([failed, { status: 200, json: {} }]);
  assert.equal(first, 'answered 500: no room left; what it may have made is removed');
  assert.equal(second, 'answered 500: no room left; it is tried again');
});

test("the broker's own words stay while the removal takes time or fails", async () => {
  const [, waiting, inVain, last] = await messagesFor([
    failed,
    { status: 202, json: {} },
    { status: 200, json: { state: 'failed', description: 'still in use' } },
    { status: 410, json: {} },
  ]);
  assert.equal(waiting, 'answered 500: no room left; what it may have made is removed');
  assert.equal(inVain, 'answered 500: no room left; what it may have made cannot be removed: failed: still in use');
  assert.equal(last, 'answered 500: no room left; it is tried again');
});
