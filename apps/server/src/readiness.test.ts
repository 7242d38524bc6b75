import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCheck } from './readiness.ts';

test('a check that does not end has failed after a while, and is named', async () => {
  const blocked = await runCheck('store-postgres', () => new Promise(() => {}), { timeoutMs: 10 });
  assert.deepEqual(blocked, {
    name: 'store-postgres',
    isOk: false,
    reason: 'store-postgres gave no result within 10 ms',
  });
});

test('a check tells its own failure', async () => {
  const failed = await runCheck('store-sqlite', () => Promise.reject(new Error('the disk is full')));
  assert.equal(failed.isOk, false);
  assert.deepEqual(await runCheck('store-sqlite', async () => {}), { name: 'store-sqlite', isOk: true });
});
