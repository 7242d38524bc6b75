import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { authoredYaml, editableYaml, lastWriter, readableYaml, replacementOf } from './editable-yaml.ts';

const object: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Boat',
  metadata: {
    name: 'marie',
    uid: 'u1',
    resourceVersion: '7',
    generation: 3,
    labels: { crew: 'two' },
    managedFields: [
      { manager: 'kubectl', operation: 'Update', time: '2026-01-01T00:00:00Z' },
      { manager: 'harbour', operation: 'Update', time: '2026-01-02T00:00:00Z' },
      { manager: 'status-writer', operation: 'Update', time: '2026-01-03T00:00:00Z', subresource: 'status' },
    ],
  },
  spec: { sails: 2 },
  status: { phase: 'Ready' },
};

test('what is edited has no fields of the server and no status', () => {
  const text =
    'apiVersion: example.com/v1\nkind: Boat\nmetadata:\n  name: marie\n  labels:\n    crew: two\nspec:\n  sails: 2\n';
  assert.equal(editableYaml(object), text);
});

test('what is read has everything but the bookkeeping of field owners', () => {
  assert.match(readableYaml(object), /resourceVersion: "7"[^]*phase: Ready/);
  assert.doesNotMatch(readableYaml(object), /managedFields/);
});

test('what names an object comes first, whatever the order that it is stored in', () => {
  const stored = { data: { a: 'b' }, metadata: { labels: {}, name: 'marie' }, kind: 'ConfigMap', apiVersion: 'v1' };
  assert.match(authoredYaml(stored), /^apiVersion: v1\nkind: ConfigMap\nmetadata:\n {2}name: marie\n[^]*data:\n/);
});

test('a replacement names the version that it was made from', () => {
  const { metadata, spec } = replacementOf('metadata: {name: marie}\nspec: {sails: 3}', object) as KubeObject & {
    spec: unknown;
  };
  assert.deepEqual(metadata, { name: 'marie', resourceVersion: '7', uid: 'u1' });
  assert.deepEqual(spec, { sails: 3 });
  assert.throws(() => replacementOf('just text', object), /no object/);
});

test('the last writer is whose change of the object is the latest, not of its status', () => {
  assert.equal(lastWriter(object), 'harbour');
});
