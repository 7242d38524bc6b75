import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

test('a quick run of the workflows bench prints costs, ratios and aims', async () => {
  const bench = join(import.meta.dirname, 'index.ts');
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 240_000,
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /CPU of a step, one workflow of 5 +[\d.]+ ms/);
  assert.match(stdout, /20 nodes, against 2 +[\d.]+ ms +[\d.]+ ms +[\d.]+ ×/);
  assert.match(stdout, /3 workflows that run, against 1 +[\d.]+ ms/);
  assert.match(stdout, /over a bare spawn +[\d.]+ ms/);
  assert.match(stdout, /compiled once +[\d,.]+ \/s/);
  assert.match(stdout, /^Aims$/m);
});
