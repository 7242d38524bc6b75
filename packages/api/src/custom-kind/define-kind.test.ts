import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { commonStatus } from './common-schemas.ts';
import { defineKind } from './define-kind.ts';
import { toStructural } from './to-structural.ts';

const boats = defineKind({
  group: 'harbour.example.com',
  version: 'v1',
  kind: 'Boat',
  shortNames: ['bt'],
  description: 'A boat.',
  spec: Type.Object({
    rig: Type.Enum(['sloop', 'ketch'], { default: 'sloop' }),
    crew: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0 }))),
  }),
  status: Type.Object({ ...commonStatus, berth: Type.Optional(Type.String()) }),
  columns: [{ name: 'Berth', type: 'string', jsonPath: '.status.berth' }],
});

describe('A kind defined by schemas', () => {
  it('says where its objects are', () => {
    assert.deepEqual(boats.ref, { group: 'harbour.example.com', version: 'v1', plural: 'boats' });
    assert.equal(boats.isNamespaced, true);
  });

  it('makes objects whose spec has a type', () => {
    const marie = boats.object({ name: 'marie' }, { rig: 'ketch' });
    const rig: 'sloop' | 'ketch' = marie.spec.rig;
    assert.equal(rig, 'ketch');
    assert.equal(marie.apiVersion, 'harbour.example.com/v1');
  });

  it('is a CustomResourceDefinition with a structural schema', () => {
    const { spec } = boats.crd as unknown as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: unknown } } }; subresources: unknown }[] };
    };
    assert.deepEqual(spec.versions[0]?.subresources, { status: {} });
    assert.deepEqual(spec.versions[0].schema.openAPIV3Schema.properties.spec, {
      type: 'object',
      required: ['rig'],
      properties: {
        rig: { type: 'string', enum: ['sloop', 'ketch'], default: 'sloop' },
        crew: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
      },
    });
  });
});

describe('toStructural', () => {
  const cases = [
    {
      why: 'a union of literals is an enum',
      schema: Type.Union([Type.Literal('a'), Type.Literal('b')]),
      wanted: { type: 'string', enum: ['a', 'b'] },
    },
    { why: 'one literal is an enum of one', schema: Type.Literal('c'), wanted: { type: 'string', enum: ['c'] } },
    { why: 'anything is kept', schema: Type.Unknown(), wanted: { 'x-kubernetes-preserve-unknown-fields': true } },
    {
      why: 'items are translated',
      schema: Type.Array(Type.Literal('x')),
      wanted: { type: 'array', items: { type: 'string', enum: ['x'] } },
    },
  ];
  for (const { why, schema, wanted } of cases) it(why, () => assert.deepEqual(toStructural(schema), wanted));
});
