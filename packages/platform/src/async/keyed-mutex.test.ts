import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { KeyedMutex } from './keyed-mutex.ts';

test('holders of a key follow one another in order, those of others do not wait', async () => {
  const mutex = new KeyedMutex<string>();
  const log: string[] = [];
  const work = (key: string, name: string) =>
    mutex.run(key, async () => {
      log.push(`+${name}`);
      await tick();
      log.push(`-${name}`);
    });
  const all = Promise.all([work('a', '1'), work('a', '2'), work('b', '3')]);
  assert.ok(mutex.isHeld('a'));
  await all;
  assert.deepEqual(
    log.filter(each => !each.endsWith('3')),
    ['+1', '-1', '+2', '-2'],
  );
  assert.ok(log.indexOf('+3') < log.indexOf('-1'));
  assert.ok(!mutex.isHeld('a') && !mutex.isHeld('b'));
});

test('a failure is the failure of its holder alone', async () => {
  const mutex = new KeyedMutex<string>();
  const failing = mutex.run('a', () => Promise.reject(new Error('no')));
  const next = mutex.run('a', () => 7);
  await assert.rejects(failing, /no/);
  assert.equal(await next, 7);
});
