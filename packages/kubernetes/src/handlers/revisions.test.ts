import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '@chandlery/api';
import { changedFields, writerOf } from './revisions.ts';

const owns = (manager: string, time: string, fieldsV1: JsonObject): ManagedFieldsEntry => ({
  ...{ manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
  time,
  fieldsV1,
});

const object = (spec: object, managedFields: ManagedFieldsEntry[], labels = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Boat',
  metadata: { name: 'marie', labels, managedFields },
  spec,
});

const kubectl = owns('kubectl', '2026-11-19T08:00:00Z', {
  'f:spec': { 'f:rig': {} },
  'f:metadata': { 'f:labels': { '.': {}, 'f:example.com/crew': {} } },
});
const first = object({ rig: 'sloop' }, [kubectl]);

const cases: readonly (readonly [why: string, now: KubeObject, manager: string | undefined])[] = [
  ['the writer notes the write', object({ rig: 'ketch' }, [{ ...kubectl, time: '2026-11-19T09:00:00Z' }]), 'kubectl'],
  ['the writer writes twice in a second', object({ rig: 'ketch' }, [kubectl]), 'kubectl'],
  ['a label with points is owned', object({ rig: 'sloop' }, [kubectl], { 'example.com/crew': 'two' }), 'kubectl'],
  ['what changed has no owner', object({ rig: 'sloop', berth: 7 }, [kubectl]), undefined],
  ['another label has no owner', object({ rig: 'sloop' }, [kubectl], { 'example.com/port': 'x' }), undefined],
];

for (const [why, now, manager] of cases)
  test(`who has written a version: ${why}`, () => {
    assert.equal(writerOf(now, first, changedFields(first, now))?.manager, manager);
  });

test('who has created an object is the last writer', () => {
  assert.equal(writerOf(first, undefined, undefined)?.manager, 'kubectl');
});
