import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hash } from 'bcryptjs';
import { PasswordThread } from './password-thread.ts';

test('accepts the right password and rejects wrong ones and invalid hashes', async () => {
  await using thread = new PasswordThread();
  const right = await hash('right', 4);
  const answers = [thread.compare('right', right), thread.compare('wrong', right), thread.compare('right', 'nonsense')];
  assert.deepEqual(await Promise.all(answers), [true, false, false]);
});

test('others are served while passwords are compared', async () => {
  await using thread = new PasswordThread();
  // So slow that the loop would turn only a few times if it had to do it.
  const slow = '$2b$12$abcdefghijklmnopqrstuuGvJgCB7tL4bDQTgNxnwyvaIXGdOfL5q';
  let isDone = false;
  const response = thread.compare('password', slow).finally(() => {
    isDone = true;
  });
  let coalescers = 0;
  for (; !isDone; coalescers++) await nextTurn();
  assert.equal(await response, false);
  assert.ok(coalescers > 100, `the loop turned ${coalescers} times`);
});

test('a pending comparison rejects as retryable when the thread ends, and the next one starts a new thread', async () => {
  const thread = new PasswordThread();
  const cheap = await hash('right', 4);
  const abandoned = assert.rejects(thread.compare('right', cheap), { code: 'ServiceUnavailable' });
  await thread[Symbol.asyncDispose]();
  await abandoned;
  assert.equal(await thread.compare('right', cheap), true);
  await thread[Symbol.asyncDispose]();
});
