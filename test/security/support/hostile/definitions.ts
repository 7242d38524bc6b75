/** Kinds that a tenant has made to be expensive. */
const version = (spec: object) => ({
  name: 'v1',
  served: true,
  storage: true,
  additionalPrinterColumns: [{ name: 'All', type: 'string', jsonPath: '.spec' }],
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
});

export const definitionOf = (plural: string, kind: string, spec: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.hostile.example.org` },
  spec: {
    group: 'hostile.example.org',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [version(spec)],
  },
});

const texts = { type: 'array', items: { type: 'string' } };
const keyed = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'zone'],
    properties: { name: { type: 'string' }, zone: { type: 'string' }, size: { type: 'integer', default: 1 } },
  },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name', 'zone'],
};
const rule = (text: string, schema: object) => ({ ...schema, 'x-kubernetes-validations': [{ rule: text }] });

/** The worst pattern known: each character makes a new state. */
export const badPattern = '(?i)^(.*)a.{900}[cd]$';

export const definitions = [
  definitionOf('things', 'Thing', {
    type: 'object',
    properties: {
      any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      set: { ...texts, 'x-kubernetes-list-type': 'set' },
      keyed,
      defaulted: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', default: 'x' } } } },
      pattern: { type: 'string', pattern: badPattern },
      patterns: { type: 'array', items: { type: 'string', pattern: '(?i)^(.*)a.{90}[cd]$|^[ab]*$' } },
      formats: { type: 'array', items: { type: 'string', format: 'duration' } },
      hostnames: { type: 'array', items: { type: 'string', format: 'hostname' } },
      enumerated: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } },
      either: {
        type: 'array',
        items: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          anyOf: Array.from({ length: 10 }, (_, i) => ({ required: [`a${i}`] })),
        },
      },
      numbers: { type: 'array', items: { type: 'integer', minimum: 0, multipleOf: 7 } },
    },
  }),
  definitionOf('rules', 'Rule', {
    type: 'object',
    properties: {
      matches: rule(`self.matches('${badPattern}')`, { type: 'string' }),
      finds: rule("self.findAll('.*c|.').size() > 0", { type: 'string' }),
      pairs: rule('self.all(a, self.all(b, a != b || a == b))', texts),
      members: rule('self.all(a, a in self)', texts),
      grows: rule("self.map(a, self.map(b, a + b).join('')).join('').size() > 0", texts),
      unique: rule('self.all(a, self.exists_one(b, a == b))', texts),
      splits: rule("self.split('').map(a, self).size() > 0", { type: 'string' }),
      sorted: rule('self.isSorted() && self.sum() >= 0 && self.indexOf(-1) < 0', {
        type: 'array',
        items: { type: 'integer' },
      }),
      equal: rule('self == self', { type: 'object', additionalProperties: { type: 'string' } }),
    },
  }),
] as const;
