import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleProblem } from './verified-machine.ts';

test('the ids of machines in a rule for Azure are compared without case', () => {
  const account = '11111111-2222-3333-4444-555555555555';
  const machine = { cloud: 'azure', account, id: '13f56399-bd52-4150-9748-7190aae1ff21' } as const;
  const azure = { subscriptionId: account, vmIds: ['13F56399-BD52-4150-9748-7190AAE1FF21'] };
  assert.equal(ruleProblem({ serviceAccount: 'books', azure }, machine), undefined);
  assert.match(ruleProblem({ serviceAccount: 'books', azure }, { ...machine, id: 'other' }) ?? '', /does not allow/);
});
