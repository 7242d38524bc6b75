import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkStructural } from './structural.ts';

const text = { type: 'string' };
const root = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const listMap = (items: object, more: object = {}): object => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items,
  ...more,
});
const intOrString = [{ type: 'integer' }, { type: 'string' }];

const accepted: Readonly<Record<string, unknown>> = {
  'plain types': root({
    spec: root({ a: text, l: { type: 'array', items: text }, m: { type: 'object', additionalProperties: text } }),
  }),
  'preserved places without a type': root({ spec: { 'x-kubernetes-preserve-unknown-fields': true } }),
  'integers or strings, in both spellings': root({
    a: { 'x-kubernetes-int-or-string': true },
    b: { 'x-kubernetes-int-or-string': true, anyOf: intOrString, pattern: '^x' },
    c: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: intOrString }, { pattern: '^x' }] },
  }),
  'value rules in junctors': root({
    a: { type: 'string', anyOf: [{ pattern: 'x' }, { minLength: 3 }], not: { enum: ['y'] } },
  }),
  'fields in junctors that are declared': root(
    { a: text },
    { anyOf: [{ required: ['a'] }, { properties: { a: { enum: ['x'] } } }] },
  ),
  'list maps with a required key': root({
    l: listMap({ type: 'object', required: ['name'], properties: { name: text } }),
  }),
  'list maps with a default key': root({
    l: listMap({ type: 'object', properties: { name: { type: 'string', default: 'x' } } }),
  }),
  'sets of scalars and of atomic objects': root({
    a: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    b: { type: 'array', items: { type: 'object', 'x-kubernetes-map-type': 'atomic' }, 'x-kubernetes-list-type': 'set' },
  }),
  'rules for names': root({
    apiVersion: text,
    kind: text,
    metadata: root({ name: { type: 'string', pattern: '^a' } }),
  }),
  'defaults that are valid once filled in': root({
    o: { ...root({ a: { type: 'string', default: 'x' } }, { required: ['a'] }), default: {} },
  }),
  'embedded resources': root({
    e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  }),
};

const refused: readonly (readonly [why: string, schema: unknown, ...fields: string[]])[] = [
  ['something that is no schema', 'string', 's'],
  [
    'keywords of the wrong type',
    root({ a: { type: 'string', minLength: 'x', required: [1] } }),
    's.properties[a].minLength',
    's.properties[a].required',
  ],
  ['properties that are no object', { type: 'object', properties: [] }, 's.properties'],
  ['a list of item schemas', root({ a: { type: 'array', items: [text] } }), 's.properties[a].items'],
  ['a root without a type', { properties: {} }, 's.type'],
  ['a root that is no object', { type: 'string' }, 's.type'],
  ['fields without a type', root({ a: {} }), 's.properties[a].type'],
  ['items without a type', root({ a: { type: 'array', items: {} } }), 's.properties[a].items.type'],
  ['lists without items', root({ a: { type: 'array' } }), 's.properties[a].items'],
  ['unknown types', root({ a: { type: 'null' } }), 's.properties[a].type'],
  [
    'additionalProperties next to properties',
    root({ a: { ...root({ b: text }), additionalProperties: text } }),
    's.properties[a].additionalProperties',
  ],
  [
    'additionalProperties: false',
    root({ a: { type: 'object', additionalProperties: false } }),
    's.properties[a].additionalProperties',
  ],
  ['additionalProperties at the root', { type: 'object', additionalProperties: text }, 's.additionalProperties'],
  ['references', root({ a: { type: 'string', $ref: '#/x' } }), 's.properties[a].$ref'],
  ['pattern properties', root({ a: { type: 'object', patternProperties: {} } }), 's.properties[a].patternProperties'],
  ['unique items', root({ a: { type: 'array', items: text, uniqueItems: true } }), 's.properties[a].uniqueItems'],
  ['patterns that RE2 does not know', root({ a: { type: 'string', pattern: '(?=x)' } }), 's.properties[a].pattern'],
  [
    'patterns that RE2 does not know, in junctors',
    root({ a: { type: 'string', not: { pattern: '\\1' } } }),
    's.properties[a].not.pattern',
  ],
  ['a multiple of zero', root({ a: { type: 'integer', multipleOf: 0 } }), 's.properties[a].multipleOf'],
  ['types in junctors', root({ a: { type: 'string', anyOf: [{ type: 'string' }] } }), 's.properties[a].anyOf[0].type'],
  [
    'defaults in junctors',
    root({ a: { type: 'string', allOf: [{ default: 'x' }] } }),
    's.properties[a].allOf[0].default',
  ],
  ['undeclared fields in junctors', root({}, { allOf: [{ properties: { a: { minLength: 1 } } }] }), 's.properties[a]'],
  [
    'undeclared items in junctors',
    root({ a: { type: 'object', not: { items: { minLength: 1 } } } }),
    's.properties[a].items',
  ],
  [
    'list maps without keys',
    root({ l: listMap({ type: 'object' }, { 'x-kubernetes-list-map-keys': [] }) }),
    's.properties[l].x-kubernetes-list-map-keys',
  ],
  [
    'list maps of scalars',
    root({ l: listMap(text) }),
    's.properties[l].items.type',
    's.properties[l].x-kubernetes-list-map-keys',
  ],
  [
    'list map keys that may be absent',
    root({ l: listMap(root({ name: text })) }),
    's.properties[l].items.properties[name].default',
  ],
  [
    'list map keys that are no scalars',
    root({ l: listMap(root({ name: root({}) })) }),
    's.properties[l].items.properties[name].type',
  ],
  [
    'list map keys without a list map',
    root({ l: { type: 'array', items: text, 'x-kubernetes-list-map-keys': ['a'] } }),
    's.properties[l].x-kubernetes-list-type',
  ],
  [
    'sets of granular objects',
    root({ l: { type: 'array', items: root({}), 'x-kubernetes-list-type': 'set' } }),
    's.properties[l].items.x-kubernetes-map-type',
  ],
  [
    'unknown list types',
    root({ l: { type: 'array', items: text, 'x-kubernetes-list-type': 'bag' } }),
    's.properties[l].x-kubernetes-list-type',
  ],
  [
    'list types of scalars',
    root({ l: { type: 'string', 'x-kubernetes-list-type': 'atomic' } }),
    's.properties[l].type',
  ],
  ['rules for other metadata', root({ metadata: root({ labels: { type: 'object' } }) }), 's.properties[metadata]'],
  ['a kind that is no text', root({ kind: { type: 'integer' } }), 's.properties[kind].type'],
  ['defaults of the wrong type', root({ a: { type: 'string', default: 1 } }), 's.properties[a].default'],
  ['defaults with unknown fields', root({ a: { ...root({}), default: { x: 1 } } }), 's.properties[a].default.x'],
  [
    'defaults with wrong values inside',
    root({ a: { ...root({ b: text }), default: { b: 1 } } }),
    's.properties[a].default.b',
  ],
  [
    'preserve-unknown-fields: false',
    root({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } }),
    's.properties[a].x-kubernetes-preserve-unknown-fields',
  ],
  [
    'embedded resources without fields',
    root({ a: { type: 'object', 'x-kubernetes-embedded-resource': true } }),
    's.properties[a].properties',
  ],
  [
    'properties named __proto__',
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    's.properties[__proto__]',
  ],
];

describe('A structural schema', () => {
  for (const [why, schema] of Object.entries(accepted)) {
    it(`may have ${why}`, () => assert.deepEqual(checkStructural(schema, 's'), []));
  }

  for (const [why, schema, ...fields] of refused) {
    it(`may not have ${why}`, () => {
      assert.deepEqual(
        checkStructural(schema, 's').map(cause => cause.field),
        fields,
      );
    });
  }

  it('may not be too deep', () => {
    let deep: object = text;
    for (let level = 0; level < 200; level++) deep = root({ a: deep });
    assert.match(checkStructural(deep, 's')[0]?.message ?? '', /nested deeper than 100 levels/);
  });

  it('may not make defaults within defaults costly', () => {
    let deep: object = root(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, text])));
    for (let level = 0; level < 60; level++) deep = { ...root({ a: deep }), default: {} };
    assert.match(checkStructural(root({ a: deep }), 's')[0]?.message ?? '', /too many defaults/);
  });
});
