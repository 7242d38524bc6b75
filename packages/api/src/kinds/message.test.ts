import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bool, inline, list, map, message, one, optionalInt32, quantity, string } from './message.ts';

const port = message('A port.', {
  number: optionalInt32(3, 'The number.', { required: true, minimum: 1 }),
  protocol: string(4, 'The protocol.', { default: 'TCP', enum: ['TCP', 'UDP'] }),
});

test('a message becomes a schema and a protobuf layout', () => {
  assert.deepEqual(port.schema, {
    type: 'object',
    description: 'A port.',
    properties: {
      number: { type: 'integer', format: 'int32', description: 'The number.', minimum: 1 },
      protocol: { type: 'string', description: 'The protocol.', default: 'TCP', enum: ['TCP', 'UDP'] },
    },
    required: ['number'],
  });
  assert.deepEqual(port.protobuf, {
    number: { number: 3, type: 'int', keepsZero: true },
    protocol: { number: 4, type: 'string' },
  });
});

test('a list says how it merges in both of the ways that Kubernetes knows', () => {
  const { schema, protobuf } = list(6, port, 'The ports.', { keys: ['number', 'protocol'], mergeKey: 'number' });
  assert.equal(schema['x-kubernetes-list-type'], 'map');
  assert.deepEqual(schema['x-kubernetes-list-map-keys'], ['number', 'protocol']);
  assert.equal(schema['x-kubernetes-patch-strategy'], 'merge');
  assert.equal(schema['x-kubernetes-patch-merge-key'], 'number');
  assert.deepEqual(protobuf, { number: 6, type: port.protobuf, repeated: true });
});

test('a list of scalars may be a set that strategic merge adds to', () => {
  const { schema } = list(1, 'string', 'Names.', { set: true, mergeKey: '' });
  assert.equal(schema['x-kubernetes-list-type'], 'set');
  assert.equal(schema['x-kubernetes-patch-strategy'], 'merge');
  assert.equal(schema['x-kubernetes-patch-merge-key'], undefined);
});

test('a list without further words is replaced as a whole', () => {
  assert.equal(list(1, 'string', 'Names.').schema['x-kubernetes-list-type'], 'atomic');
});

test('a union keeps only the keys that a patch names', () => {
  const { schema } = list(1, port, 'Volumes.', { keys: ['number'], mergeKey: 'number', retainsKeys: true });
  assert.equal(schema['x-kubernetes-patch-strategy'], 'merge,retainKeys');
  assert.equal(one(2, port, 'One.', { retainsKeys: true }).schema['x-kubernetes-patch-strategy'], 'retainKeys');
});

test('inlined fields stand beside the others in JSON and nested in protobuf', () => {
  const outer = message('Outer.', { base: inline(1, port), on: bool(2, 'Whether.') });
  assert.deepEqual(Object.keys(outer.schema.properties ?? {}), ['number', 'protocol', 'on']);
  assert.deepEqual(outer.schema.required, ['number']);
  assert.deepEqual(outer.protobuf['base'], { number: 1, type: port.protobuf, inline: true });
});

test('a field says what it is for, whatever its message says of itself', () => {
  assert.equal(one(1, port, 'The admin port.').schema.description, 'The admin port.');
  assert.equal(port.schema.description, 'A port.');
});

test('quantities may be numbers with a fraction', () => {
  assert.deepEqual(quantity(1, 'How much.').schema.anyOf, [{ type: 'number' }, { type: 'string' }]);
  assert.deepEqual(map(1, 'quantity', 'Limits.').protobuf, { number: 1, type: 'quantity', map: true });
});

test('an atomic message is owned as a whole', () => {
  const reference = message('A reference.', { name: string(1, 'The name.') }, { atomic: true });
  assert.equal(reference.schema['x-kubernetes-map-type'], 'atomic');
});
