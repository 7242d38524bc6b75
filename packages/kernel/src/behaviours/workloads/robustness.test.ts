import { test } from 'node:test';
import { builtInKinds, type StructuralSchema } from '@chandlery/api';
import fc from 'fast-check';
import { workloadBehaviours } from './index.ts';
import { created, updated } from './test-writes.ts';

const textSamples = [
  '',
  'a',
  '10.0.0.1',
  'None',
  'x y',
  '*/5 * * * *',
  'Recreate',
  '25%',
  'Never',
  'a:1@b',
  '__proto__',
];

const formatSamples: Readonly<Record<string, readonly (string | number)[]>> = {
  'date-time': ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.123456789+01:00'],
  quantity: ['1', '1Gi', '-5', 0.5, 0],
  byte: ['', 'YQ=='],
};
const maxDepth = 7;

/** Values that a schema allows: what is not required is often null or missing, and always so far down. */
function valueOf(schema: StructuralSchema, depth = 0): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(fc.integer(), fc.constantFrom(...textSamples));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, depth);
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, depth + 1), { minLength: schema.minItems ?? 0, maxLength: 2 });
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -2, max: schema.maximum ?? 90_000 });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.constantFrom(...(formatSamples[schema.format ?? ''] ?? textSamples));
  }
}

function objectOf(
  { properties, additionalProperties, required = [] }: StructuralSchema,
  depth: number,
): fc.Arbitrary<unknown> {
  if (typeof additionalProperties === 'object') {
    const key = fc.constantFrom('app', 'storage', 'cpu', 'a b');
    return fc.dictionary(key, valueOf(additionalProperties, depth + 1), { maxKeys: 2 });
  }
  const said = Object.entries(properties ?? {}).filter(([name]) => required.includes(name) || depth < maxDepth);
  const fields = said.map(([name, schema]) => {
    const value = valueOf(schema, depth + 1);
    return [name, required.includes(name) ? value : fc.oneof(value, fc.constantFrom(null, undefined))] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

for (const [resource] of workloadBehaviours) {
  test(`nothing that the schema of ${resource} allows is too odd to be judged`, async () => {
    const declaration = builtInKinds.find(({ group, plural }) => `${group}/${plural}` === resource);
    const arbitrary = valueOf(declaration?.versions[0]?.schema ?? {}) as fc.Arbitrary<Record<string, unknown>>;
    await fc.assert(
      fc.asyncProperty(arbitrary, arbitrary, async (fields, change) => {
        const { object } = await created(resource, fields);
        await updated(resource, object, wanted => Object.assign(wanted, structuredClone(change)));
      }),
      { numRuns: 12 },
    );
  });
}
