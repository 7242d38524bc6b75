import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitReady } from './await-ready.ts';
import type { SmObject } from './sm-types.ts';

/** Waits for an instance that is read as one state after the other, and returns how often it was read. */
async function readsOf(first: SmObject, later: readonly SmObject[] = [], timeoutMs = 60_000): Promise<number> {
  let reads = 0;
  const read = async () => later[reads++] ?? first;
  await awaitReady(first, read, { timeoutMs, progress: { write: () => true } });
  return reads;
}

const starting: SmObject = { id: 'i', name: 'answers', ready: false };
const ready: SmObject = { ...starting, ready: true };

test('an instance that is ready is not waited for', async () => {
  assert.equal(await readsOf(ready), 0);
});

test('an instance that starts is read until it is ready', async () => {
  assert.equal(await readsOf(starting, [starting, ready]), 2);
});

test('an instance whose creation failed is not waited for', async () => {
  assert.equal(await readsOf({ ...starting, last_operation: { id: 'o', state: 'failed' } }), 0);
});

test('an instance that does not become ready ends the wait, with how to look at it', async () => {
  await assert.rejects(readsOf(starting, [], 1), {
    code: 'Timeout',
    hint: /npx chandlery instance get answers/,
  });
});
