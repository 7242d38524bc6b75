import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

const bench = join(import.meta.dirname, 'index.ts');

test('a quick run of the kernel bench prints every section', async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick', '--no-etcd'], {
    timeoutMs: 120_000,
  });
  assert.equal(code, 0, stderr);
  const rows = [
    /^ +1 writer, sqlite +[\d.,]+ writes\/s/m,
    /^ +16 readers, sqlite +[\d.,]+ reads\/s/m,
    /^ +20 watchers, p99, sqlite +[\d.,]+ ms/m,
    /^ +creates, 16 at a time +[\d.,]+ req\/s/m,
    /^ +gets, 1 at a time +[\d.,]+ req\/s/m,
    /^ +lists of 20 out of [\d,]+ by label, 1 at a time +[\d.,]+ req\/s/m,
    /^ +selective list with 200 objects, p50 +[\d.,]+ ms +\w+ \(cost grows/m,
    /^ +deliveries +[\d.,]+ events\/s/m,
    /^ +created +[\d.,]+ clusters\/s/m,
    /^ +memory of each +-?[\d.,]+ KiB +\w+ \(≤ 100 KiB\)/m,
    /^ +from start to ready, existing data +[\d.,]+ s/m,
    /^ +idle memory +[\d.,]+ MB/m,
  ];
  for (const row of rows) assert.match(stdout, row);
});

test('a section that does not exist is rejected with the names of those that do', async () => {
  const { code, stderr } = await runProcess(process.execPath, [bench, '--only', 'nonsense']);
  assert.equal(code, 1);
  assert.match(stderr, /there is no section "nonsense"\nuse one of writes, reads,/);
});
