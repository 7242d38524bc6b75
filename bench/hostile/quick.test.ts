import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

test('a quick run of the hostile bench prints the longest turn of each request', async () => {
  const bench = join(import.meta.dirname, 'index.ts');
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 120_000,
  });
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^ +[\d.]+ ms +[\d.]+ ms +[\d.]+ × +\d+ +201 +(?:met|MISSED) +a ConfigMap with one long value$/m,
  );
  assert.match(stdout, /^\d of 3 requests are within 50 ms\.$/m);
});
