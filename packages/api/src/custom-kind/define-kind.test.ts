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

  it('is translated once, and only when it is asked for', () => {
    const spec = Type.Object({});
    let translations = 0;
    Object.defineProperty(spec, 'type', { enumerable: true, get: () => (translations++, 'object') });
    const kind = defineKind({ group: 'g', version: 'v1', kind: 'Late', description: 'Late.', spec });
    assert.deepEqual([kind.plural, translations], ['lates', 0]);
    const [declared] = kind.declaration.versions;
    assert.deepEqual([declared?.name, translations], ['v1', 0]);
    const { crd } = kind;
    const once = translations;
    assert.ok(once > 0);
    assert.deepEqual([kind.crd === crd, kind.declaration.kind, translations], [true, 'Late', once]);
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

describe('A kind that is to be declared', () => {
  it('is what its CustomResourceDefinition says', () => {
    const { declaration } = boats;
    const { spec } = boats.crd as unknown as { spec: { versions: { schema: { openAPIV3Schema: unknown } }[] } };
    const [version] = declaration.versions;
    assert.deepEqual(
      [declaration.group, declaration.kind, declaration.plural, declaration.scope, declaration.shortNames],
      ['harbour.example.com', 'Boat', 'boats', 'Namespaced', ['bt']],
    );
    assert.deepEqual(version?.schema, spec.versions[0]?.schema.openAPIV3Schema);
    assert.deepEqual([version?.name, version?.subresources], ['v1', { status: true }]);
    assert.deepEqual(version?.columns, [{ name: 'Berth', type: 'string', jsonPath: '.status.berth' }]);
    assert.equal(declaration.allowsUnconditionalUpdate ?? false, false);
  });

  it('has what a CustomResourceDefinition cannot say', () => {
    const berths = defineKind({
      group: 'harbour.example.com',
      version: 'v1',
      kind: 'Berth',
      scope: 'Cluster',
      description: 'A place for a boat.',
      spec: Type.Object({ pier: Type.String() }),
      uniqueKeys: [{ name: 'pier', within: 'cluster', values: ({ spec }) => [spec.pier] }],
      nameRule: 'path-segment',
      ttlSeconds: 60,
      isSecret: true,
      servedIn: ['platform'],
    });
    const { uniqueKeys, nameRule, ttlSeconds, isSecret, servedIn, scope } = berths.declaration;
    assert.deepEqual(
      { nameRule, ttlSeconds, isSecret, servedIn, scope },
      { nameRule: 'path-segment', ttlSeconds: 60, isSecret: true, servedIn: ['platform'], scope: 'Cluster' },
    );
    assert.deepEqual(uniqueKeys?.[0]?.values(berths.object({ name: 'a' }, { pier: 'north' })), ['north']);
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
