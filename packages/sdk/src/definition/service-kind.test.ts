import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileJsonPath } from '@chandlery/api';
import { foos } from '../test-provider.ts';

test('kubectl shows whether a service is ready and, when it is not, why', () => {
  const [version] = foos.declaration.versions;
  const conditions = [
    { type: 'Synced', status: 'True', reason: 'Synced' },
    { type: 'Ready', status: 'False', reason: 'UserError' },
  ];
  const status = { phase: 'Failed', reason: 'UserError', conditions };
  const foo = { ...foos.object({ name: 'a' }, { version: '9' }), status };
  const cells = (version?.columns ?? []).map(({ name, jsonPath }) => [name, compileJsonPath(jsonPath ?? '')(foo)]);
  const { Phase, Ready, Reason } = Object.fromEntries(cells) as Record<string, unknown[]>;
  assert.deepEqual([Phase, Ready, Reason], [['Failed'], ['False'], ['UserError']]);
});
