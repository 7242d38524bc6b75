import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

test('a quick run of the bench of clouds prints costs, requests and times', async () => {
  const bench = join(import.meta.dirname, 'index.ts');
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 240_000,
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^60 machines in 3 accounts, 2 services each$/m);
  assert.match(stdout, /^ +ours +[\d.]+ ms +[\d.]+ × +[\d,.]+ kB/m);
  assert.match(stdout, /requests per poll of an account: 1\.\d\d/);
  assert.match(stdout, /^ +by event +[\d,.]+ ms +[\d,.]+ ms +[\d.]+ ×$/m);
  assert.match(stdout, /^ +by polls every 5 s +[\d,.]+ ms/m);
});
