import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue, StructuralSchema } from '@chandlery/api';
import { compileValidator, compileValueValidator } from './validate.ts';

const text: StructuralSchema = { type: 'string' };
const spec = (properties: Record<string, StructuralSchema>, more: StructuralSchema = {}): StructuralSchema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
});

interface Case {
  readonly why: string;
  readonly schema: StructuralSchema;
  readonly spec: JsonValue;
  /** Field, reason without `FieldValue`, message. */
  readonly causes: readonly (readonly [string, string, string])[];
}

const cases: readonly Case[] = [
  {
    why: 'a missing field',
    schema: spec({ image: text }, { required: ['image'] }),
    spec: {},
    causes: [['spec.image', 'Required', 'Required value']],
  },
  {
    why: 'a wrong type',
    schema: spec({ replicas: { type: 'integer' } }),
    spec: { replicas: 'three' },
    causes: [
      [
        'spec.replicas',
        'TypeInvalid',
        'Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      ],
    ],
  },
  {
    why: 'a fraction for an integer',
    schema: spec({ replicas: { type: 'integer' } }),
    spec: { replicas: 1.5 },
    causes: [
      [
        'spec.replicas',
        'TypeInvalid',
        'Invalid value: "number": spec.replicas in body must be of type integer: "number"',
      ],
    ],
  },
  {
    why: 'a null',
    schema: spec({ a: text, b: { type: 'string', nullable: true, minLength: 1, enum: ['x'] } }),
    spec: { a: null, b: null },
    causes: [['spec.a', 'TypeInvalid', 'Invalid value: "null": spec.a in body must be of type string: "null"']],
  },
  {
    why: 'a value outside of an enum',
    schema: spec({ mode: { type: 'string', enum: ['a', 'b'] } }),
    spec: { mode: 'x' },
    causes: [['spec.mode', 'NotSupported', 'Unsupported value: "x": supported values: "a", "b"']],
  },
  {
    why: 'a number outside of an enum of several types',
    schema: spec({ mode: { 'x-kubernetes-int-or-string': true, enum: ['a', 1] } }),
    spec: { mode: 2 },
    causes: [['spec.mode', 'NotSupported', 'Unsupported value: 2: supported values: "a", "1"']],
  },
  {
    why: 'numbers out of range',
    schema: spec({
      min: { type: 'integer', minimum: 1 },
      max: { type: 'number', maximum: 2 },
      above: { type: 'number', minimum: 0, exclusiveMinimum: true },
      below: { type: 'number', maximum: 0, exclusiveMaximum: true },
      even: { type: 'integer', multipleOf: 2 },
      tenth: { type: 'number', multipleOf: 0.1 },
      small: { type: 'integer', format: 'int32' },
    }),
    spec: { min: 0, max: 3, above: 0, below: 0, even: 3, tenth: 0.3, small: 2 ** 31 },
    causes: [
      ['spec.min', 'Invalid', 'Invalid value: 0: spec.min in body should be greater than or equal to 1'],
      ['spec.max', 'Invalid', 'Invalid value: 3: spec.max in body should be less than or equal to 2'],
      ['spec.above', 'Invalid', 'Invalid value: 0: spec.above in body should be greater than 0'],
      ['spec.below', 'Invalid', 'Invalid value: 0: spec.below in body should be less than 0'],
      ['spec.even', 'Invalid', 'Invalid value: 3: spec.even in body should be a multiple of 2'],
      [
        'spec.small',
        'Invalid',
        'Invalid value: 2147483648: Checked value must be of type integer with format int32 in spec.small',
      ],
    ],
  },
  {
    why: 'texts that break rules',
    schema: spec({
      short: { type: 'string', maxLength: 2 },
      long: { type: 'string', minLength: 2 },
      word: { type: 'string', pattern: '^[a-z]+$' },
      when: { type: 'string', format: 'date-time' },
      faces: { type: 'string', maxLength: 2 },
    }),
    spec: { short: 'abc', long: '😀', word: 'A', when: 'now', faces: '😀😀' },
    causes: [
      ['spec.short', 'TooLong', 'Too long: may not be more than 2 bytes'],
      ['spec.long', 'Invalid', 'Invalid value: "😀": spec.long in body should be at least 2 chars long'],
      ['spec.word', 'Invalid', `Invalid value: "A": spec.word in body should match '^[a-z]+$'`],
      ['spec.when', 'TypeInvalid', 'Invalid value: "now": spec.when in body must be of type date-time: "now"'],
    ],
  },
  {
    why: 'lists and maps of the wrong size',
    schema: spec({
      few: { type: 'array', items: text, minItems: 1 },
      many: { type: 'array', items: text, maxItems: 1 },
      map: { type: 'object', additionalProperties: text, minProperties: 1 },
      big: { type: 'object', additionalProperties: text, maxProperties: 1 },
    }),
    spec: { few: [], many: ['a', 'b'], map: {}, big: { a: '', b: '' } },
    causes: [
      ['spec.few', 'Invalid', 'Invalid value: 0: spec.few in body should have at least 1 items'],
      ['spec.many', 'TooMany', 'Too many: 2: must have at most 1 items'],
      ['spec.map', 'Invalid', 'Invalid value: 0: spec.map in body should have at least 1 properties'],
      ['spec.big', 'TooMany', 'Too many: 2: must have at most 1 items'],
    ],
  },
  {
    why: 'values deep inside lists and maps',
    schema: spec({
      containers: {
        type: 'array',
        items: { type: 'object', properties: { ports: { type: 'array', items: { type: 'integer' } } } },
      },
      map: { type: 'object', additionalProperties: { type: 'integer' } },
    }),
    spec: { containers: [{ ports: [1, 'x'] }], map: { 'a.b/c': 'y' } },
    causes: [
      [
        'spec.containers[0].ports[1]',
        'TypeInvalid',
        'Invalid value: "string": spec.containers[0].ports[1] in body must be of type integer: "string"',
      ],
      [
        'spec.map.a.b/c',
        'TypeInvalid',
        'Invalid value: "string": spec.map.a.b/c in body must be of type integer: "string"',
      ],
    ],
  },
  {
    why: 'neither integer nor string',
    schema: spec({ port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } }),
    spec: { port: true },
    causes: [
      [
        'spec.port',
        'TypeInvalid',
        'Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
      ],
    ],
  },
  {
    why: 'no alternative that fits',
    schema: spec({ a: text, b: text }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    spec: {},
    causes: [
      ['spec', 'Invalid', 'Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid'],
      ['spec.a', 'Required', 'Required value'],
    ],
  },
  {
    why: 'too many alternatives that fit',
    schema: spec({ a: text, b: text }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    spec: { a: '', b: '' },
    causes: [
      [
        'spec',
        'Invalid',
        'Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
  },
  {
    why: 'anyOf and not',
    schema: spec({ a: text, b: text }, { anyOf: [{ required: ['a'] }], not: { required: ['b'] } }),
    spec: { b: '' },
    causes: [
      ['spec', 'Invalid', 'Invalid value: "": "spec" must validate at least one schema (anyOf)'],
      ['spec.a', 'Required', 'Required value'],
      ['spec', 'Invalid', 'Invalid value: "": "spec" must not validate the schema (not)'],
    ],
  },
  {
    why: 'a value twice in a set',
    schema: spec({ tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' } }),
    spec: { tags: ['a', 'b', 'a'] },
    causes: [['spec.tags[2]', 'Duplicate', 'Duplicate value: "a"']],
  },
  {
    why: 'a key twice or missing in a list map',
    schema: spec({
      ports: {
        type: 'array',
        items: { type: 'object', properties: { port: { type: 'integer' }, protocol: text } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
      },
    }),
    spec: {
      ports: [{ port: 1, protocol: 'TCP' }, { port: 1, protocol: 'UDP' }, { protocol: 'TCP', port: 1 }, { port: 2 }],
    },
    causes: [
      ['spec.ports[3].protocol', 'Required', 'Required value'],
      ['spec.ports[2]', 'Duplicate', 'Duplicate value: {"port":1,"protocol":"TCP"}'],
    ],
  },
  {
    why: 'an embedded resource without a kind',
    schema: spec({
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    }),
    spec: { template: { apiVersion: 'v1', metadata: { name: 1 } } },
    causes: [
      ['spec.template.kind', 'Required', 'Required value'],
      [
        'spec.template.metadata.name',
        'TypeInvalid',
        'Invalid value: "integer": spec.template.metadata.name in body must be of type string: "integer"',
      ],
    ],
  },
];

describe('Validation', () => {
  it('distinguishes keys of list items whatever texts they hold', () => {
    const validate = compileValueValidator({
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
    });
    assert.deepEqual(
      validate([
        { a: 'x\n"y', b: 'z' },
        { a: 'x', b: 'y\n"z' },
      ]),
      [],
    );
  });

  for (const { why, schema, spec: value, causes } of cases) {
    it(`reports ${why}`, () => {
      const found = compileValidator(schema)({ apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, spec: value });
      const shown = found.map(({ field, reason, message }) => [field, reason.replace('FieldValue', ''), message]);
      assert.deepEqual(shown, causes);
    });
  }

  it('knows the types of metadata without a declaration, and what a kind adds about names', () => {
    const validate = compileValidator({
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } } },
    });
    const fields = validate({ metadata: { name: 'long', labels: { a: 1 } } }).map(cause => cause.field);
    assert.deepEqual(fields, ['metadata.labels.a', 'metadata.name']);
    assert.deepEqual(validate({ metadata: { name: 'abc', labels: { a: '1' }, finalizers: ['x'] } }), []);
  });

  it('reports each cause once and no more than fifty', () => {
    const validate = compileValidator(spec({ list: { type: 'array', items: { type: 'integer' } } }));
    assert.equal(validate({ spec: { list: Array.from({ length: 100_000 }, () => 'x') } }).length, 50);
  });

  it('runs hostile patterns in linear time', () => {
    const validate = compileValidator(spec({ word: { type: 'string', pattern: '^(a+)+$' } }));
    assert.equal(validate({ spec: { word: `${'a'.repeat(50_000)}!` } }).length, 1);
  });

  it('is not confused by names that every JavaScript object knows', () => {
    const validate = compileValidator(spec({ a: text }, { required: ['constructor', 'toString'] }));
    const fields = validate(JSON.parse('{"spec":{"__proto__":{"constructor":1}}}')).map(cause => cause.field);
    assert.deepEqual(fields, ['spec.constructor', 'spec.toString']);
  });

  it('takes undefined for absent', () => {
    const validate = compileValidator(spec({ a: text, b: text }, { required: ['b'] }));
    const fields = validate({ spec: { a: undefined, b: undefined } }).map(cause => cause.field);
    assert.deepEqual(fields, ['spec.b']);
  });

  it('leaves list types of built-in kinds to merging', () => {
    const env: StructuralSchema = {
      type: 'array',
      items: { type: 'object', properties: { name: text } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
    };
    assert.deepEqual(compileValidator(spec({ env }))({ spec: { env: [{ name: 'a' }, { name: 'a' }, {}] } }), []);
  });

  it('ignores formats it does not know', () => {
    assert.deepEqual(compileValidator(spec({ a: { type: 'string', format: 'sonnet' } }))({ spec: { a: 'x' } }), []);
  });
});
