import { type Column, defineKind, type KubeObject, type ObjectOf, type VersionConversion } from '@chandlery/api';
import { Type } from 'typebox';
import {
  annotationOf,
  chained,
  declareVersions,
  type OlderVersion,
  sameShape,
  versionOf,
  withAnnotation,
} from './versions.ts';
import { type QuantityWeight, weightsOf } from './weights.ts';

/** Annotation that keeps `matches` in versions without the field. */
const matchesAnnotation = 'split.smi-spec.io/matches';
/** Annotation that keeps the weights as written in `v1alpha1`, as long as they equal the stored weights. */
const quantitiesAnnotation = 'split.smi-spec.io/v1alpha1-weights';

const serviceName = (description: string) =>
  Type.String({ pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$', description });

const root = serviceName('The service that clients call, in the namespace of the split.');
const backendService = serviceName('A service in the same namespace.');

const matchesSchema = Type.Optional(
  Type.Array(
    Type.Object({
      apiGroup: Type.Optional(Type.String({ description: 'Default specs.smi-spec.io.' })),
      kind: Type.Enum(['HTTPRouteGroup']),
      name: Type.String({ minLength: 1 }),
    }),
    { description: 'Only requests of one of these are divided, the others go to the service. Default: all requests.' },
  ),
);

const split = { group: 'split.smi-spec.io', kind: 'TrafficSplit', shortNames: ['ts'], categories: ['smi'] } as const;
const description = 'Divides the traffic to a service among services.';
const backends = Type.Array(
  Type.Object({
    service: backendService,
    weight: Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: 'Relative to the other weights.' }),
  }),
  { minItems: 1 },
);
const withMatches = Type.Object({ service: root, backends, matches: matchesSchema });

/** TrafficSplit in its storage version. */
export const trafficSplits = defineKind({ ...split, description, version: 'v1alpha4', spec: withMatches });
export type SmiTrafficSplit = ObjectOf<typeof trafficSplits>;

const quantity = Type.Unsafe<QuantityWeight>({ 'x-kubernetes-int-or-string': true });
const quantities = Type.Array(Type.Object({ service: backendService, weight: quantity }), { minItems: 1 });

const alpha3 = defineKind({ ...split, description, version: 'v1alpha3', spec: withMatches });
const alpha2 = defineKind({
  ...split,
  description,
  version: 'v1alpha2',
  spec: Type.Object({ service: root, backends }),
});
const alpha1 = defineKind({
  ...split,
  description,
  version: 'v1alpha1',
  spec: Type.Object({ service: root, backends: quantities }),
});

const withoutMatches: VersionConversion = {
  fromStorage: stored => {
    const { matches, ...spec } = (stored as SmiTrafficSplit).spec;
    return matches === undefined ? stored : { ...withAnnotation(stored, matchesAnnotation, matches), spec };
  },
  toStorage: shown => {
    const matches = annotationOf(shown, matchesAnnotation);
    if (!isMatches(matches)) return shown;
    const object = withAnnotation(shown as SmiTrafficSplit, matchesAnnotation, undefined);
    return { ...object, spec: { ...object.spec, matches } };
  },
  loses: stored =>
    (stored as SmiTrafficSplit).spec.matches === undefined
      ? []
      : [`spec.matches needs v1alpha3 or later; it is kept in the annotation ${matchesAnnotation}`],
};

const isMatches = (value: unknown): value is { kind: 'HTTPRouteGroup'; name: string }[] =>
  Array.isArray(value) &&
  value.every((match: unknown) => {
    const { kind, name } = (match ?? {}) as { kind?: unknown; name?: unknown };
    return kind === 'HTTPRouteGroup' && typeof name === 'string' && name !== '';
  });

const asQuantities: VersionConversion = {
  fromStorage: stored => {
    const object = withAnnotation(stored as SmiTrafficSplit, quantitiesAnnotation, undefined);
    return withWeights(object, knownQuantities(stored) ?? object.spec.backends.map(({ weight }) => weight));
  },
  toStorage: shown => {
    const written = weightsIn(shown);
    const isPlain = written.every(weight => typeof weight === 'number');
    const object = withAnnotation(shown, quantitiesAnnotation, isPlain ? undefined : written);
    return withWeights(object as SmiTrafficSplit, weightsOf(written));
  },
};

/** The weights as written in `v1alpha1`, unless another version has changed them since. */
function knownQuantities(stored: KubeObject): readonly QuantityWeight[] | undefined {
  const value = annotationOf(stored, quantitiesAnnotation);
  if (!Array.isArray(value) || !value.every(each => typeof each === 'string' || typeof each === 'number'))
    return undefined;
  const present = weightsIn(stored);
  const meant = weightsOf(value);
  return meant.length === present.length && meant.every((weight, index) => weight === present[index])
    ? value
    : undefined;
}

const weightsIn = (object: KubeObject): readonly QuantityWeight[] =>
  (object['spec'] as { backends: readonly { weight: QuantityWeight }[] }).backends.map(({ weight }) => weight);

function withWeights(object: SmiTrafficSplit, weights: readonly QuantityWeight[]): KubeObject {
  const { spec } = object;
  const weighted = spec.backends.map((backend, index) => ({ ...backend, weight: weights[index] ?? 0 }));
  return { ...object, spec: { ...spec, backends: weighted } };
}

const columns: readonly Column[] = [
  { name: 'Service', type: 'string', jsonPath: '.spec.service', description: 'What clients call.' },
  { name: 'Weights', type: 'string', cell: object => weightsCell(object), description: 'Where it goes.' },
];

function weightsCell(object: KubeObject): string {
  const { backends: all } = (object as SmiTrafficSplit).spec;
  return all.map(({ service, weight }) => `${service}=${weight}`).join(',');
}

const older: readonly OlderVersion[] = [
  { version: versionOf(alpha3), conversion: sameShape },
  { version: versionOf(alpha2), conversion: withoutMatches },
  { version: versionOf(alpha1), conversion: chained(withoutMatches, asQuantities) },
];

/** TrafficSplit in all its versions. Roots are unique within a namespace. */
export const trafficSplitKind = declareVersions(trafficSplits, older, {
  columns,
  uniqueKeys: [
    {
      name: 'the root',
      within: 'cluster',
      values: object => [`${object.metadata.namespace}/${(object as SmiTrafficSplit).spec.service}`],
    },
  ],
});
