import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestCoalescer } from './request-coalescer.ts';

test('the same request waits for the first and then does its own work', async () => {
  const coalescers = createRequestCoalescer();
  const first = Promise.withResolvers<string>();
  const order: string[] = [];
  const one = coalescers.run('key', 'same', async () => {
    order.push('first begins');
    const result = await first.promise;
    order.push('first ends');
    return result;
  });
  const two = coalescers.run('key', 'same', async () => {
    order.push('second');
    return 'two';
  });
  first.resolve('one');
  assert.deepEqual(await Promise.all([one, two]), ['one', 'two']);
  assert.deepEqual(order, ['first begins', 'first ends', 'second']);
});

test('another request is rejected while one runs, and accepted when it has ended, however it ended', async () => {
  const coalescers = createRequestCoalescer();
  const readiness = Promise.withResolvers<never>();
  const one = coalescers.run('key', 'a', () => readiness.promise);
  await assert.rejects(
    coalescers.run('key', 'b', () => Promise.resolve(1)),
    { code: 'ConcurrencyError' },
  );
  assert.equal(await coalescers.run('other key', 'b', () => Promise.resolve(2)), 2);
  readiness.reject(new Error('no luck'));
  await assert.rejects(one, /no luck/);
  assert.equal(await coalescers.run('key', 'b', () => Promise.resolve(3)), 3);
});

test('of two different creations the second gets Conflict', async () => {
  const coalescers = createRequestCoalescer();
  const readiness = Promise.withResolvers<number>();
  const one = coalescers.run('key', { creation: 'a' }, () => readiness.promise);
  const meanwhile = (request: Parameters<typeof coalescers.run>[1]) =>
    coalescers.run('key', request, () => Promise.resolve(2));
  await assert.rejects(meanwhile({ creation: 'b' }), { code: 'Conflict' });
  await assert.rejects(meanwhile('delete'), { code: 'ConcurrencyError' });
  readiness.resolve(1);
  assert.equal(await one, 1);
});

test('a creation gets ConcurrencyError while another operation runs', async () => {
  const coalescers = createRequestCoalescer();
  const readiness = Promise.withResolvers<number>();
  const one = coalescers.run('key', 'delete', () => readiness.promise);
  await assert.rejects(
    coalescers.run('key', { creation: 'a' }, () => Promise.resolve(2)),
    { code: 'ConcurrencyError' },
  );
  readiness.resolve(1);
  assert.equal(await one, 1);
});

test('a fingerprint that has to be worked out is asked for only when two requests meet', async () => {
  const coalescers = createRequestCoalescer();
  const readiness = Promise.withResolvers<string>();
  const asked: string[] = [];
  const fingerprint = (text: string) => () => {
    asked.push(text);
    return text;
  };
  const one = coalescers.run('key', fingerprint('a'), () => readiness.promise);
  assert.deepEqual(asked, []);
  await assert.rejects(
    coalescers.run('key', fingerprint('b'), () => Promise.resolve('never')),
    { code: 'ConcurrencyError' },
  );
  const same = coalescers.run('key', fingerprint('a'), () => Promise.resolve('two'));
  readiness.resolve('one');
  assert.deepEqual(await Promise.all([one, same]), ['one', 'two']);
  assert.deepEqual(asked, ['a', 'b', 'a', 'a']);
});
