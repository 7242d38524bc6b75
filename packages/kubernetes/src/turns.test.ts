import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import { Turns } from './turns.ts';

const isTooMany = (error: unknown): boolean => isError(error, 'TooManyRequests');

test('requests of one sender wait for each other, in order, and not for those of others', async () => {
  const turns = new Turns();
  const gate = Promise.withResolvers<void>();
  const begun: number[] = [];
  const work = (number: number) => async () => {
    begun.push(number);
    await gate.promise;
    return number;
  };
  const all = Array.from({ length: 10 }, (_, number) => turns.run('ann', work(number)));
  await nextTurn();
  assert.deepEqual(begun, [0, 1, 2, 3]);
  assert.equal(await turns.run('bob', async () => 'done'), 'done');
  gate.resolve();
  assert.deepEqual(await Promise.all(all), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('all senders together have some at a time, and none waits for all of another', async () => {
  const turns = new Turns();
  const gates: PromiseWithResolvers<void>[] = [];
  const begun: string[] = [];
  const work = (name: string) => async () => {
    begun.push(name);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
  };
  const names = ['a', 'b', 'c'];
  const all = names.flatMap(name => Array.from({ length: 10 }, () => turns.run(name, work(name))));
  await nextTurn();
  assert.equal(begun.length, 8);
  all.push(turns.run('d', work('d')));
  for (let round = 0; begun.length < all.length || gates.length > 0; round++) {
    assert.ok(gates.length <= 8);
    gates.shift()?.resolve();
    await nextTurn();
    if (round === 4) assert.ok(begun.includes('d'), begun.join());
  }
  await Promise.all(all);
});

test('what fails gives its turn to the next one', async () => {
  const turns = new Turns();
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => turns.run('ann', fail)));
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 20);
  assert.equal(await turns.run('ann', async () => 1), 1);
});

test('a sender that sends more and more is told to try later', async () => {
  const turns = new Turns();
  const gate = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 104 }, () => turns.run('ann', () => gate.promise));
  await nextTurn();
  await assert.rejects(
    turns.run('ann', async () => 1),
    isTooMany,
  );
  assert.equal(await turns.run('bob', async () => 1), 1);
  gate.resolve();
  await Promise.all(waiting);
  assert.equal(await turns.run('ann', async () => 1), 1);
});

test('a sender follows changes with so many requests at a time', () => {
  const turns = new Turns();
  const places = Array.from({ length: 100 }, () => turns.follow('ann'));
  assert.throws(() => turns.follow('ann'), isTooMany);
  turns.follow('bob')[Symbol.dispose]();
  places[0]?.[Symbol.dispose]();
  assert.doesNotThrow(() => turns.follow('ann'));
});
