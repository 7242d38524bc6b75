import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf, versionsEvent } from './agent-report.ts';

const condition = (status: string, reason = '', message = '', type = 'Ready') => ({ type, status, reason, message });
const full = 'Cluster has insufficient resources';

const verdicts = [
  { why: 'ready', conditions: [condition('True')], verdict: 'ready' },
  { why: 'ready, in another case', conditions: [condition('true', '', '', 'READY')], verdict: 'ready' },
  { why: 'ready while it is updated', conditions: [condition('True', 'DinosaurUpdating')], verdict: 'ready' },
  { why: 'suspended wins over true', conditions: [condition('True', 'Suspended')], verdict: 'suspended' },
  { why: 'unknown wins over the reason', conditions: [condition('Unknown', 'Error')], verdict: 'unknown' },
  { why: 'installing', conditions: [condition('False', 'Installing')], verdict: 'installing' },
  { why: 'deleted', conditions: [condition('False', 'Deleted')], verdict: 'deleted' },
  { why: 'an error', conditions: [condition('False', 'Error', 'x')], verdict: 'error' },
  { why: 'rejected', conditions: [condition('False', 'Rejected', 'no')], verdict: 'rejected' },
  { why: 'a full cluster', conditions: [condition('False', 'Rejected', full)], verdict: 'cluster-full' },
  { why: 'a full cluster needs the reason', conditions: [condition('False', 'Error', full)], verdict: 'error' },
  { why: 'another reason', conditions: [condition('False', 'Whatever')], verdict: 'installing' },
  { why: 'no condition of that type', conditions: [condition('True', 'Deleted', '', 'Other')], verdict: 'installing' },
];

for (const { why, conditions, verdict } of verdicts)
  test(`a report says: ${why}`, () => assert.equal(verdictOf(conditions), verdict));

const none = { product: undefined, operator: undefined };
const versions = [
  {
    why: 'reported ones replace',
    status: { actual: { product: '1', operator: 'o' } },
    versions: { product: '2', operator: '' },
    reason: '',
    expected: [{ product: '2', operator: 'o' }, undefined],
  },
  {
    why: 'the product is updated',
    status: {},
    versions: none,
    reason: 'DinosaurUpdating',
    expected: [undefined, { product: true, operator: false }],
  },
  {
    why: 'the operator is updated',
    status: {},
    versions: none,
    reason: 'DinosaurOperatorUpdating',
    expected: [undefined, { product: false, operator: true }],
  },
  {
    why: 'without the condition flags stay',
    status: { upgrading: { product: true } },
    versions: none,
    reason: undefined,
    expected: [undefined, { product: true }],
  },
];

for (const { why, status, versions: reported, reason, expected } of versions)
  test(`versions of a report: ${why}`, () => {
    const conditions = reason === undefined ? [] : [condition('True', reason)];
    const event = versionsEvent(status, reported, { conditions, kind: 'Dinosaur' });
    assert.ok(event.type === 'agent-versions');
    assert.deepEqual([event.actual, event.upgrading], expected);
  });
