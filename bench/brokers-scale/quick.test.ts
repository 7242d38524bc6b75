import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

const bench = join(import.meta.dirname, 'index.ts');

test('a quick run of the bench of many instances prints every section', async () => {
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 180_000,
  });
  assert.equal(code, 0, stderr);
  const rows = [
    /^ +until ready +[\d.,]+ s +[\d.,]+ s +[\d.,]+ ×/m,
    /^ +two labels +[\d.,]+ ms +[\d.,]+ ms/m,
    /^ +CPU per provision +[\d.,]+ ms +[\d.,]+ ms +\S+ × +(met|MISSED)/m,
    /^ +until the end +[\d.,]+ s +[\d.,]+ s/m,
  ];
  for (const row of rows) assert.match(stdout, row);
});
