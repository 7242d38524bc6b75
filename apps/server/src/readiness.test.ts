import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCheck, startupCheck } from './readiness.ts';

test('a check that does not end has failed after a while, and is named', async () => {
  const blocked = await runCheck('store-postgres', () => new Promise(() => {}), { timeoutMs: 10 });
  assert.deepEqual(blocked, {
    name: 'store-postgres',
    isOk: false,
    reason: 'store-postgres gave no result within 10 ms',
  });
});

test('a check reports its own failure', async () => {
  const failed = await runCheck('store-sqlite', () => Promise.reject(new Error('the disk is full')));
  assert.equal(failed.isOk, false);
  assert.deepEqual(await runCheck('store-sqlite', async () => {}), { name: 'store-sqlite', isOk: true });
});

test('a start that waits for damaged objects names them, each once', () => {
  const object = 'platform|core.chandlery.io/logicalclusters||team';
  const damage = [
    { kind: 'row', message: 'a', object },
    { kind: 'row', message: 'b', object },
    { kind: 'page', message: 'c' },
  ] as const;
  const { isOk, reason = '' } = startupCheck({ isComplete: false }, damage);
  assert.equal(isOk, false);
  assert.equal(reason.split(object).length, 2);
  assert.match(reason, /chandlery store verify/);
  assert.equal(startupCheck({ isComplete: false }, []).reason, 'the domains are starting');
  assert.deepEqual(startupCheck({ isComplete: true }, damage), { name: 'startup', isOk: true });
});
