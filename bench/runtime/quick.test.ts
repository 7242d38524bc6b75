import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

const bench = join(import.meta.dirname, 'index.ts');

test('a quick run of the runtime bench prints every section and writes nothing after a restart', async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 180_000,
  });
  assert.equal(code, 0, stderr);
  const rows = [
    /^ +alone, p50 +[\d.,]+ ms/m,
    /^ +under the noise, p99 +[\d.,]+ ms +[\d.,]+ ms +[\d.,]+ ×/m,
    /^ +in process, 64 workers +[\d.,]+ objects\/s +[\d.,]+ objects\/s/m,
    /^ +over HTTPS, 1 worker +[\d.,]+ objects\/s +[\d.,]+ objects\/s/m,
    /^ +time, in process +[\d.,]+ ms/m,
    /^ +requests, over HTTPS +[\d.,]+ requests/m,
    /^ +writes, in process +0 writes +met \(none\)/m,
    /^ +writes, over HTTPS +0 writes +met \(none\)/m,
    /^ +over HTTPS, p99 +[\d.,]+ ms +[\d.,]+ ms/m,
    /^ +deleted, in process, p50 +[\d.,]+ ms +30,000 ms/m,
    /^ +changed, over HTTPS, p99 +[\d.,]+ ms +60,000 ms/m,
    /^ +informer without managed fields +-?[\d.,]+ KiB/m,
    /^ {2}met +.*writes, in process: 0 writes \(none\)/m,
  ];
  for (const row of rows) assert.match(stdout, row);
});

test('a section that does not exist is rejected with the names of those that do', async () => {
  const { code, stderr } = await runProcess(process.execPath, [bench, '--only', 'nonsense']);
  assert.equal(code, 1);
  assert.match(stderr, /there is no section "nonsense"\nuse one of fairness, throughput,/);
});
