import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayNameOf } from './display-name.ts';
import type { KubeObject } from './object.ts';

const boat = (spec: object, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Boat',
  metadata: { name: 'b-1', annotations },
  spec,
});

test('people name an object in its spec or in an annotation', () => {
  assert.equal(displayNameOf(boat({ name: 'Marie' }, { 'openmcp.cloud/display-name': 'Anna' })), 'Marie');
  assert.equal(displayNameOf(boat({ name: '' }, { 'openmcp.cloud/display-name': 'Anna' })), 'Anna');
  assert.equal(displayNameOf(boat({ name: 7 })), undefined);
  assert.equal(displayNameOf(boat({})), undefined);
});
