import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

const bench = join(import.meta.dirname, 'index.ts');

test('a quick run of the fleet bench prints every section', async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 240_000,
  });
  assert.equal(code, 0, stderr);
  const rows = [
    /^Orders, durable when they are accepted, among 100 instances on 10 clusters$/m,
    /^ +CPU per create +[\d.,]+ ms +[\d.,]+ ms/m,
    /^ +create, rate +[\d.,]+ \/s/m,
    /^ +report, p99 +[\d.,]+ ms/m,
    /^ +page of an organisation, p50 +[\d.,]+ ms/m,
    /^ +page of all, p50 +[\d.,]+ ms/m,
    /^ +poll with changes, p50 +[\d.,]+ ms/m,
    /^Orders in a region of 20 clusters, all but the last one full$/m,
    /^ +CPU per placed create +[\d.,]+ ms +[\d.,]+ ms/m,
    /^ +added to 0\.4 s of the agent at 50\/s, p99 +[\d.,]+ ms/m,
    /^ +create to ready, p99 +[\d.,]+ ms +[\d.,]+ ms/m,
    /^ +idle poll, p99 +[\d.,]+ ms/m,
  ];
  for (const row of rows) assert.match(stdout, row);
});

test('a section that does not exist is rejected with the names of those that do', async () => {
  const { code, stderr } = await runProcess(process.execPath, [bench, '--only', 'nonsense']);
  assert.equal(code, 1);
  assert.match(stderr, /there is no section "nonsense"\nuse one of creates, reports,/);
});
