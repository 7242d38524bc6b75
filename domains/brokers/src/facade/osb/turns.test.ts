import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './turns.ts';

test('the same request waits for the first and then does its own work', async () => {
  const turns = createTurns();
  const first = Promise.withResolvers<string>();
  const order: string[] = [];
  const one = turns.run('key', 'same', async () => {
    order.push('first begins');
    const result = await first.promise;
    order.push('first ends');
    return result;
  });
  const two = turns.run('key', 'same', async () => {
    order.push('second');
    return 'two';
  });
  first.resolve('one');
  assert.deepEqual(await Promise.all([one, two]), ['one', 'two']);
  assert.deepEqual(order, ['first begins', 'first ends', 'second']);
});

test('another request is refused while one runs, and taken when it has ended, however it ended', async () => {
  const turns = createTurns();
  const gate = Promise.withResolvers<never>();
  const one = turns.run('key', 'a', () => gate.promise);
  await assert.rejects(
    turns.run('key', 'b', () => Promise.resolve(1)),
    { code: 'ConcurrencyError' },
  );
  assert.equal(await turns.run('other key', 'b', () => Promise.resolve(2)), 2);
  gate.reject(new Error('no luck'));
  await assert.rejects(one, /no luck/);
  assert.equal(await turns.run('key', 'b', () => Promise.resolve(3)), 3);
});
