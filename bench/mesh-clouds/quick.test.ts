import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

test('a quick run of the bench of clouds prints costs, requests and times', async () => {
  const bench = join(import.meta.dirname, 'index.ts');
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 120_000,
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^60 machines in 3 accounts, 2 services each$/m);
  assert.match(stdout, /^ +[\d.]+ ms +of CPU for an unchanged poll/m);
  assert.match(stdout, /^ +1\.\d\d +requests per poll of an account/m);
  assert.match(stdout, /^ +\d+ \/ \d+ ms +from the response of the cloud/m);
});
