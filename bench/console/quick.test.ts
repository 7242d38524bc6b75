import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { findChromium, runProcess, whySkipped } from '@chandlery/testing';

const bench = join(import.meta.dirname, 'index.ts');
const chromium = await findChromium();

test('a quick run of the console bench prints every section', { skip: whySkipped(chromium) }, async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 400_000,
  });
  assert.equal(code, 0, stderr);
  const rows = [
    /^ +script before interaction, gzipped +[\d.,]+ KB/m,
    /^300 objects of one kind, nothing changes$/m,
    /^ +open the list +[\d.,]+ ms +[\d.,]+ ms +[\d.]+ ×/m,
    /^ +filter by state +[\d.,]+ ms/m,
    /^ +scroll, frames over 16\.7 ms/m,
    /^300 objects of one kind, 600 changes per minute$/m,
    /^A trace of 60 nodes$/m,
    /^ +JavaScript heap of the tab +[\d.,]+ MB/m,
  ];
  for (const row of rows) assert.match(stdout, row);
});

test('a section that does not exist is rejected with the names of those that do', async () => {
  const { code, stderr } = await runProcess(process.execPath, [bench, '--only', 'nonsense']);
  assert.equal(code, 1);
  assert.match(stderr, /there is no section "nonsense"\nuse one of load, lists,/);
});
