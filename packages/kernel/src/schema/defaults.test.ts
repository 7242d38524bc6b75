import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue, StructuralSchema } from '@chandlery/api';
import { compileDefaulter } from './defaults.ts';

const withDefault = (value: JsonValue, more: StructuralSchema = {}): StructuralSchema => ({
  type: 'string',
  default: value,
  ...more,
});
const object = (properties: Record<string, StructuralSchema>, more: StructuralSchema = {}): StructuralSchema => ({
  type: 'object',
  properties,
  ...more,
});

const cases: readonly { why: string; spec: StructuralSchema; given: JsonValue; filled: JsonValue }[] = [
  { why: 'fills in what is absent', spec: object({ a: withDefault('x') }), given: {}, filled: { a: 'x' } },
  { why: 'leaves what is there', spec: object({ a: withDefault('x') }), given: { a: '' }, filled: { a: '' } },
  {
    why: 'does not make objects for the sake of defaults inside',
    spec: object({ o: object({ a: withDefault('x') }) }),
    given: {},
    filled: {},
  },
  {
    why: 'goes from the top down',
    spec: object({ o: object({ a: withDefault('x') }, { default: {} }) }),
    given: {},
    filled: { o: { a: 'x' } },
  },
  {
    why: 'fills items of lists',
    spec: object({ l: { type: 'array', items: object({ a: withDefault('x') }) } }),
    given: { l: [{}, { a: 'y' }] },
    filled: { l: [{ a: 'x' }, { a: 'y' }] },
  },
  {
    why: 'fills values of maps',
    spec: object({ m: { type: 'object', additionalProperties: object({ a: withDefault('x') }) } }),
    given: { m: { k: {} } },
    filled: { m: { k: { a: 'x' } } },
  },
  {
    why: 'takes null for absent where null is not allowed',
    spec: object({ a: withDefault('x'), b: { type: 'string' } }),
    given: { a: null, b: null },
    filled: { a: 'x' },
  },
  {
    why: 'keeps null where it is allowed',
    spec: object({ a: withDefault('x', { nullable: true }) }),
    given: { a: null },
    filled: { a: null },
  },
  {
    why: 'drops nulls from maps',
    spec: object({ m: { type: 'object', additionalProperties: { type: 'string' } } }),
    given: { m: { a: null, b: 'x' } },
    filled: { m: { b: 'x' } },
  },
  {
    why: 'replaces null items only by a default',
    spec: object({ l: { type: 'array', items: { type: 'string' } }, d: { type: 'array', items: withDefault('x') } }),
    given: { l: [null], d: [null] },
    filled: { l: [null], d: ['x'] },
  },
  {
    why: 'leaves unknown fields alone',
    spec: object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
    given: { a: null },
    filled: { a: null },
  },
];

describe('Defaulting', () => {
  for (const { why, spec, given, filled } of cases) {
    it(why, () => assert.deepEqual(compileDefaulter(object({ spec }))({ spec: given }), { spec: filled }));
  }

  it('never shares a default between objects', () => {
    const fill = compileDefaulter(object({ list: { type: 'array', items: { type: 'string' }, default: ['a'] } }));
    const first = fill<{ list?: string[] }>({});
    const second = fill<{ list?: string[] }>({});
    first.list?.push('b');
    assert.deepEqual(first.list, ['a', 'b']);
    assert.deepEqual(second.list, ['a']);
  });

  it('takes undefined for absent, as in objects that never were JSON', () => {
    assert.deepEqual(compileDefaulter(object({ a: withDefault('x') }))({ a: undefined }), { a: 'x' } as never);
  });

  it('drops the null creation time that kubectl sends', () => {
    const made = compileDefaulter(object({}))({ metadata: { name: 'a', creationTimestamp: null } });
    assert.deepEqual(made, { metadata: { name: 'a' } } as never);
  });

  it('cannot be made to change prototypes', () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","default":{"polluted":true}}}}',
    );
    const made = compileDefaulter(schema as StructuralSchema)<Record<string, unknown>>({});
    assert.equal(made.polluted, undefined);
  });
});
