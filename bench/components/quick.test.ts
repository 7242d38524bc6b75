import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '@chandlery/testing';

test('a quick run of the components bench prints times, memory and ratios', async () => {
  const bench = join(import.meta.dirname, 'index.ts');
  const { code, stdout, stderr } = await runProcess(process.execPath, ['--expose-gc', bench, '--quick'], {
    timeoutMs: 240_000,
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^10 tenants with 5 components each$/m);
  assert.match(stdout, /^ +[\d.]+ ms +to bind a component/m);
  assert.match(stdout, /^ +-?[\d.]+ KiB +(?:met|MISSED) +memory of a component of a tenant/m);
  assert.match(stdout, /^ +[\d.]+ ms +(?:met|MISSED) +the same with 10 tenants: [\d.]+ ×/m);
});
