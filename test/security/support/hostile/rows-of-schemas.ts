import { badPattern, definitionOf } from './definitions.ts';
import { bodyRow, crds, custom, dry, fields, type HostileRow, noise, thing, times } from './hostile-row.ts';

const things = `${custom}/things?${dry}`;
const rules = `${custom}/rules?${dry}`;
const ruled = (spec: object) => ({ ...thing(spec), kind: 'Rule' });
const definitionsPath = `${crds}?${dry}`;
const defined = (spec: object) => definitionOf('makes', 'Make', spec);
const object = (properties: object) => ({ type: 'object', properties });
const text = { type: 'string' };

/** Objects that are expensive to check by the schemas of the tenant's own kinds, and such kinds themselves. */
export const schemaRows: readonly HostileRow[] = [
  bodyRow('items of a set', 3000, things, size => thing({ set: times(size, i => `s${i}`) })),
  bodyRow('the same item of a set', 3000, things, size => thing({ set: times(size, () => 's') })),
  bodyRow('items of a keyed list', 1800, things, size =>
    thing({ keyed: times(size, i => ({ name: `n${i}`, zone: 'a' })) }),
  ),
  bodyRow('keyed items without keys', 4000, things, size => thing({ keyed: times(size, () => ({})) })),
  bodyRow('items with defaults', 4500, things, size => thing({ defaulted: times(size, () => ({})) })),
  bodyRow('a long text for a bad pattern', 14_000, things, size => thing({ pattern: noise(size) })),
  bodyRow('many texts for a bad pattern', 600, things, size =>
    thing({ patterns: times(size, i => noise(200 + (i % 7))) }),
  ),
  bodyRow('texts of a format', 4000, things, size => thing({ formats: times(size, () => '1h1m1s1ms1us1ns') })),
  bodyRow('a long text of a format', 140_000, things, size => thing({ formats: ['1'.repeat(size)] })),
  bodyRow('hostnames', 3000, things, size => thing({ hostnames: times(size, () => 'a.'.repeat(60)) })),
  bodyRow('values that are not in an enumeration', 9000, things, size => thing({ enumerated: times(size, () => 'x') })),
  bodyRow('alternatives that do not match', 1000, things, size => thing({ either: times(size, () => ({ b: 1 })) })),
  bodyRow('numbers that are no multiples', 9000, things, size => thing({ numbers: times(size, i => i) })),
  bodyRow('values of the wrong type', 9000, things, size => thing({ numbers: times(size, () => 'x') })),
  bodyRow('a rule that matches a bad pattern', 14_000, rules, size => ruled({ matches: noise(size) })),
  bodyRow('a rule that finds many matches', 14_000, rules, size => ruled({ finds: noise(size) })),
  bodyRow('a rule that compares all pairs', 200, rules, size => ruled({ pairs: times(size, i => `p${i}`) })),
  bodyRow('a rule that looks up each item', 500, rules, size => ruled({ members: times(size, i => `p${i}`) })),
  bodyRow('a rule whose texts grow', 100, rules, size => ruled({ grows: times(size, i => `p${i}`.repeat(10)) })),
  bodyRow('a rule that counts each item', 200, rules, size => ruled({ unique: times(size, i => `p${i}`) })),
  bodyRow('a rule that splits and repeats', 1000, rules, size => ruled({ splits: noise(size) })),
  bodyRow('a rule that walks a long list', 4000, rules, size => ruled({ sorted: times(size, i => i) })),
  bodyRow('a rule that compares a large map', 3000, rules, size => ruled({ equal: fields(size, () => 'x') })),
  bodyRow('a kind with many fields', 300, definitionsPath, size => defined(object(fields(size, () => text)))),
  bodyRow('a kind with many lists', 150, definitionsPath, size =>
    defined(object(fields(size, () => ({ type: 'array', items: object({ a: text }) })))),
  ),
  bodyRow('a kind with a deep schema', 20, definitionsPath, size =>
    defined(times(Math.min(size, 150), i => i).reduce<object>(inner => object({ a: inner }), text)),
  ),
  bodyRow('a kind with large patterns', 5, definitionsPath, size =>
    defined(object(fields(size, i => ({ ...text, pattern: `[a-z${i}]{900}` })))),
  ),
  bodyRow('a kind with many patterns', 100, definitionsPath, size =>
    defined(object(fields(size, i => ({ ...text, pattern: `^a${i}[a-z]+$` })))),
  ),
  bodyRow('a kind with the worst pattern many times', 200, definitionsPath, size =>
    defined(object(fields(size, () => ({ ...text, pattern: badPattern })))),
  ),
  bodyRow('a kind with many rules', 10, definitionsPath, size =>
    defined(object(fields(size, () => ({ ...text, 'x-kubernetes-validations': [{ rule: 'self.size() > 1' }] })))),
  ),
  bodyRow('a kind with a long rule', 20, definitionsPath, size =>
    defined({
      ...object({ a: text }),
      'x-kubernetes-validations': [{ rule: times(size, () => "self.a == 'x'").join(' || ') }],
    }),
  ),
  bodyRow('a kind with nested loops in its rules', 1, definitionsPath, size =>
    defined({
      type: 'array',
      items: text,
      'x-kubernetes-validations': [{ rule: `${times(size, i => `self.all(a${i}, `).join('')}true${')'.repeat(size)}` }],
    }),
  ),
  bodyRow('a kind with many alternatives', 100, definitionsPath, size =>
    defined({ ...object({ a: text }), anyOf: times(size, i => ({ required: [`a${i}`] })) }),
  ),
  bodyRow('a kind with a large enumeration', 2000, definitionsPath, size =>
    defined(object({ a: { ...text, enum: times(size, i => `e${i}`) } })),
  ),
  bodyRow('a kind with a large default', 2000, definitionsPath, size =>
    defined(object({ a: { type: 'object', additionalProperties: text, default: fields(size, () => 'x') } })),
  ),
  bodyRow('a kind with many versions', 40, definitionsPath, size => {
    const definition = defined(object({ a: text }));
    const [version] = definition.spec.versions;
    const versions = times(size, i => ({ ...version, name: `v${i + 1}`, storage: i === 0 }));
    return { ...definition, spec: { ...definition.spec, versions } };
  }),
  bodyRow('a kind with many columns', 200, definitionsPath, size => {
    const definition = defined(object({ a: text }));
    const [version] = definition.spec.versions;
    const columns = times(size, i => ({ name: `c${i}`, type: 'string', jsonPath: `.spec..a[?(@.b==${i})]` }));
    return {
      ...definition,
      spec: { ...definition.spec, versions: [{ ...version, additionalPrinterColumns: columns }] },
    };
  }),
];
