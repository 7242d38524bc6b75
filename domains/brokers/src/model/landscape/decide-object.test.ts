import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InternalObject } from '../../kinds/index.ts';
import type { InstanceRow } from '../rows.ts';
import { adoptedLabel, decideObject, orderGraceMs } from './decide-object.ts';

const now = new Date('2030-01-01T00:10:00Z');

const objectOf = (more: Partial<InternalObject> = {}): InternalObject => ({
  id: 'a',
  serviceId: 's',
  planId: 'p',
  name: 'a',
  tenant: 'acme',
  isProvisioned: false,
  createdAt: '2030-01-01T00:00:00Z',
  progress: { state: 'succeeded' },
  isDeleting: false,
  ...more,
});

const rowOf = (status: object, spec: object = {}): InstanceRow =>
  ({ id: 'a', generation: 2, spec, status }) as unknown as InstanceRow;
const adopted = { labels: { [adoptedLabel]: ['fleet'] } };

const cases = [
  { why: 'an object of its own API is adopted', object: objectOf(), decision: 'adopt' },
  { why: 'an object that is being deleted is not', object: objectOf({ isDeleting: true }), decision: 'nothing' },
  {
    why: 'an object that was just ordered gets its row from the order',
    object: objectOf({ isProvisioned: true, createdAt: new Date(now.getTime() - orderGraceMs + 1).toISOString() }),
    decision: 'wait',
  },
  {
    why: 'an object whose order was lost by a crash is adopted in the end',
    object: objectOf({ isProvisioned: true }),
    decision: 'adopt',
  },
  { why: 'an object with a ready row needs nothing', object: objectOf(), row: rowOf({ ready: true }, adopted) },
  {
    why: 'progress of an adopted object is reported',
    object: objectOf(),
    row: rowOf({ ready: false }, adopted),
    decision: 'report',
  },
  {
    why: 'progress of an ordered object is the matter of its operation',
    object: objectOf({ isProvisioned: true }),
    row: rowOf({ ready: false }),
  },
  {
    why: 'an object that stayed when its order had failed, and was repaired, is reported',
    object: objectOf({ isProvisioned: true }),
    row: rowOf({ ready: false, observedGeneration: 2 }),
    decision: 'report',
  },
  {
    why: 'an object that is cleaned up does not hide why its creation has failed',
    object: objectOf({ isProvisioned: true, isDeleting: true }),
    row: rowOf({ ready: false, observedGeneration: 2 }),
  },
  {
    why: 'a change of the instance comes before the state of an object that stayed',
    object: objectOf({ isProvisioned: true }),
    row: rowOf({ ready: false, observedGeneration: 1 }),
  },
  { why: 'the row of a deleted object goes', row: rowOf({ ready: true }), decision: 'remove' },
  { why: 'a row whose creation is in progress stays', row: rowOf({ ready: false }), isBusy: true },
  { why: 'a row whose creation has failed stays', row: rowOf({ ready: false }) },
  { why: 'a reference has no object', row: rowOf({ ready: true }, { referencedInstanceId: 'b' }) },
  { why: 'nothing is nothing' },
];

for (const { why, object, row, isBusy = false, decision = 'nothing' } of cases)
  test(why, () => {
    assert.equal(decideObject({ object, row, isBusy, now }).type, decision);
  });
