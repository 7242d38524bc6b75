import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHello } from './run-hello.ts';

test('a workflow runs in twenty lines', async () => {
  assert.equal(await runHello(), '["Hello Ada","Hello Grace"]');
});
