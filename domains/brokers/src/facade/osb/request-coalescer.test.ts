import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './request-coalescer.ts';

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

test('of two different creations the second is told that the id is taken', async () => {
  const turns = createTurns();
  const gate = Promise.withResolvers<number>();
  const one = turns.run('key', { creation: 'a' }, () => gate.promise);
  const meanwhile = (request: Parameters<typeof turns.run>[1]) => turns.run('key', request, () => Promise.resolve(2));
  await assert.rejects(meanwhile({ creation: 'b' }), { code: 'Conflict' });
  await assert.rejects(meanwhile('delete'), { code: 'ConcurrencyError' });
  gate.resolve(1);
  assert.equal(await one, 1);
});

test('a creation is told to wait while something else goes on', async () => {
  const turns = createTurns();
  const gate = Promise.withResolvers<number>();
  const one = turns.run('key', 'delete', () => gate.promise);
  await assert.rejects(
    turns.run('key', { creation: 'a' }, () => Promise.resolve(2)),
    { code: 'ConcurrencyError' },
  );
  gate.resolve(1);
  assert.equal(await one, 1);
});

test('a fingerprint that has to be worked out is asked for only when two requests meet', async () => {
  const turns = createTurns();
  const gate = Promise.withResolvers<string>();
  const asked: string[] = [];
  const fingerprint = (text: string) => () => {
    asked.push(text);
    return text;
  };
  const one = turns.run('key', fingerprint('a'), () => gate.promise);
  assert.deepEqual(asked, []);
  await assert.rejects(
    turns.run('key', fingerprint('b'), () => Promise.resolve('never')),
    { code: 'ConcurrencyError' },
  );
  const same = turns.run('key', fingerprint('a'), () => Promise.resolve('two'));
  gate.resolve('one');
  assert.deepEqual(await Promise.all([one, same]), ['one', 'two']);
  assert.deepEqual(asked, ['a', 'b', 'a', 'a']);
});
