import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cloneJson, type JsonValue, type StructuralSchema } from '@chandlery/api';
import fc from 'fast-check';
import { compileValueCleanTest } from './clean.ts';
import { compileValueDefaulter } from './defaults.ts';
import { compileValuePruner } from './prune.ts';
import { compileValueValidator } from './validate.ts';

const names = fc.constantFrom('a', 'b', 'c', 'constructor');
const scalars = fc.oneof(fc.constant('x'), fc.integer({ min: -3, max: 3 }), fc.boolean(), fc.constant(null));

const { schema: schemas } = fc.letrec<{ schema: StructuralSchema }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<StructuralSchema>(
      { type: 'string' },
      { type: 'string', default: 'd' },
      { type: 'string', enum: ['x', 'd'] },
      { type: 'string', minLength: 2 },
      { type: 'integer', minimum: 1 },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      { type: 'array', items: { type: 'integer' }, maxItems: 1 },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { type: 'integer', nullable: true },
      { type: 'boolean', nullable: true, default: null },
      { 'x-kubernetes-int-or-string': true },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ),
    fc.dictionary(names, tie('schema')).map(properties => ({ type: 'object' as const, properties })),
    fc.dictionary(names, tie('schema')).map(properties => ({ type: 'object' as const, properties, default: {} })),
    tie('schema').map(additionalProperties => ({ type: 'object' as const, additionalProperties })),
    tie('schema').map(items => ({ type: 'array' as const, items })),
  ),
}));

const { value: values } = fc.letrec<{ value: JsonValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { noNullPrototype: true }),
  ),
}));

/** The same schema, with every object closed that is not open on purpose. */
function close(schema: StructuralSchema): StructuralSchema {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, close(child)])),
          additionalProperties: false,
        }),
    ...(items === undefined ? {} : { items: close(items) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: close(additionalProperties) } : {}),
  };
}

const forAll = (check: (schema: StructuralSchema, value: JsonValue) => void): void =>
  fc.assert(fc.property(schemas, values, check), { numRuns: 500 });

describe('For any schema and any value', () => {
  it('pruning twice is pruning once', () => {
    forAll((schema, value) => {
      const prune = compileValuePruner(schema);
      const once = cloneJson(prune(cloneJson(value)).object);
      const twice = prune(cloneJson(once));
      assert.deepEqual(twice.object, once);
      assert.deepEqual(twice.pruned, []);
    });
  });

  it('defaulting twice is defaulting once', () => {
    forAll((schema, value) => {
      const fill = compileValueDefaulter(schema);
      const once = cloneJson(fill(cloneJson(value)));
      assert.deepEqual(fill(cloneJson(once)), once);
    });
  });

  it('what is pruned breaks no rule of the closed schema that it does not break of the open one', () => {
    forAll((schema, value) => {
      const { object } = compileValuePruner(schema)(cloneJson(value));
      assert.deepEqual(compileValueValidator(close(schema))(object), compileValueValidator(schema)(object));
    });
  });

  it('pruning reports nothing if and only if it changes nothing', () => {
    forAll((schema, value) => {
      const { object, pruned } = compileValuePruner(schema)(cloneJson(value));
      assert.equal(pruned.length === 0, JSON.stringify(object) === JSON.stringify(value));
    });
  });

  it('what is clean needs no pruning, no defaults and breaks no rule', () => {
    let count = 0;
    forAll((schema, value) => {
      if (!compileValueCleanTest(schema)(value)) return;
      count++;
      assert.deepEqual(compileValuePruner(schema)(cloneJson(value)).pruned, []);
      assert.deepEqual(compileValueDefaulter(schema)(cloneJson(value)), value);
      assert.deepEqual(compileValueValidator(schema)(value), []);
    });
    assert.ok(count > 0, 'nothing was clean');
  });

  it('what was pruned and given its defaults, and breaks no rule, is clean unless its schema has rare rules', () => {
    forAll((schema, value) => {
      if (/nullable|int-or-string|list-type|maxItems/.test(JSON.stringify(schema))) return;
      const { object } = compileValuePruner(schema)(compileValueDefaulter(schema)(cloneJson(value)));
      const isFine = compileValueValidator(schema)(object).length === 0 && !JSON.stringify(object).includes('null');
      if (isFine) assert.equal(compileValueCleanTest(schema)(object), true);
    });
  });

  it('validation never changes the value and never throws', () => {
    forAll((schema, value) => {
      const before = JSON.stringify(value);
      compileValueValidator(schema)(value);
      assert.equal(JSON.stringify(value), before);
    });
  });
});
