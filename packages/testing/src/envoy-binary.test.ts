import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEnvoy } from './envoy-binary.ts';
import { runProcess } from './run-process.ts';

const found = await findEnvoy();

test('the genuine Envoy runs', { skip: found.path === undefined && found.reason }, async () => {
  const { code, stdout } = await runProcess(found.path ?? '', ['--version']);
  assert.equal(code, 0);
  assert.match(stdout, /version: [0-9a-f]+\/1\.\d+/);
});
