import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KindDeclaration, KubeObject, VersionConversion } from '@chandlery/api';
import fc from 'fast-check';
import { httpRouteGroupKind } from './http-route-group.ts';
import { tcpRouteKind } from './port-routes.ts';
import { trafficSplitKind } from './traffic-split.ts';
import { trafficTargetKind } from './traffic-target.ts';
import { weightsOf } from './weights.ts';

const matchesAnnotation = 'split.smi-spec.io/matches';
const quantitiesAnnotation = 'split.smi-spec.io/v1alpha1-weights';
const portsAnnotation = 'specs.smi-spec.io/tcproute-matches';

function conversionTo(kind: KindDeclaration, version: string): VersionConversion {
  const conversion = kind.versions.find(({ name }) => name === version)?.conversion;
  assert.ok(conversion, `${kind.kind} ${version} has no conversion`);
  return conversion;
}

const text = fc.constantFrom('a', 'b', 'website', 'v2');
const optional = (values: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
  fc.record(values, { requiredKeys });
const metadata = fc.record(
  { name: text, namespace: text, annotations: fc.dictionary(text, text, { minKeys: 1 }) },
  { requiredKeys: ['name'] },
);
const stored = (kind: KindDeclaration, rest: Record<string, fc.Arbitrary<unknown>>, requiredKeys?: string[]) =>
  optional({ apiVersion: fc.constant(`${kind.group}/x`), kind: fc.constant(kind.kind), metadata, ...rest }, [
    'apiVersion',
    'kind',
    'metadata',
    ...(requiredKeys ?? Object.keys(rest)),
  ]).map(object => JSON.parse(JSON.stringify(object)) as KubeObject);

const weight = fc.nat(5000);
const splitMatches = fc.array(fc.record({ kind: fc.constant('HTTPRouteGroup'), name: text }));
const splitSpec = (weights: fc.Arbitrary<unknown>, keys: Record<string, fc.Arbitrary<unknown>> = {}) =>
  optional(
    { service: text, backends: fc.array(fc.record({ service: text, weight: weights }), { minLength: 1 }), ...keys },
    ['service', 'backends'],
  );
const subject = optional({ kind: fc.constant('ServiceAccount'), name: text, namespace: text }, ['kind', 'name']);
const port = fc.integer({ min: 1, max: 65_535 });
const rules = fc.array(
  optional({ kind: fc.constantFrom('HTTPRouteGroup', 'TCPRoute'), name: text, matches: fc.array(text) }, [
    'kind',
    'name',
  ]),
);
const targetSpec = fc.record({
  destination: optional({ kind: fc.constant('ServiceAccount'), name: text, port }, ['kind', 'name']),
  rules,
  sources: fc.array(subject),
});
const routeMatches = fc.array(optional({ name: text, pathRegex: text, headers: fc.dictionary(text, text) }, ['name']));
const portSpec = optional({ matches: optional({ name: text, ports: fc.array(port) }, []) }, []);

const kinds: readonly { kind: KindDeclaration; objects: fc.Arbitrary<KubeObject> }[] = [
  { kind: trafficSplitKind, objects: stored(trafficSplitKind, { spec: splitSpec(weight, { matches: splitMatches }) }) },
  { kind: trafficTargetKind, objects: stored(trafficTargetKind, { spec: targetSpec }) },
  { kind: httpRouteGroupKind, objects: stored(httpRouteGroupKind, { spec: fc.record({ matches: routeMatches }) }) },
  { kind: tcpRouteKind, objects: stored(tcpRouteKind, { spec: portSpec }, []) },
];

/** Removes empty annotations, as the kernel does. */
function tidy(object: KubeObject): KubeObject {
  const { annotations = {}, ...rest } = object.metadata;
  return { ...object, metadata: Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest };
}

describe('stored objects', () => {
  for (const { kind, objects } of kinds) {
    for (const { name, conversion } of kind.versions) {
      if (conversion === undefined) continue;
      test(`${kind.kind} is converted to ${name} and back without loss`, () => {
        fc.assert(
          fc.property(objects, object => {
            const before = structuredClone(object);
            const shown = conversion.fromStorage(object);
            assert.deepEqual(tidy(conversion.toStorage(structuredClone(shown))), tidy(before));
            assert.deepEqual(object, before, 'the object was changed');
          }),
        );
      });
    }
  }
});

describe('TrafficSplit v1alpha1', () => {
  const { fromStorage, toStorage } = conversionTo(trafficSplitKind, 'v1alpha1');
  const quantity = fc.oneof(
    fc.nat(2000),
    fc.nat(2000).map(String),
    fc.nat(5000).map(milli => `${milli}m`),
    fc.constantFrom('0.5', '1k', '1.25'),
  );

  test('keeps its quantities as written, and their ratios', () => {
    fc.assert(
      fc.property(stored(trafficSplitKind, { spec: splitSpec(quantity) }), object => {
        assert.deepEqual(tidy(fromStorage(toStorage(structuredClone(object)))), tidy(object));
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.nat(5000), { minLength: 2, maxLength: 4 }), millis => {
        const weights = weightsOf(millis.map(milli => `${milli}m`));
        for (const [i, a] of weights.entries())
          for (const [j, b] of weights.entries()) assert.equal(a * (millis[j] ?? 0), b * (millis[i] ?? 0));
      }),
    );
  });

  const cases: readonly { written: (number | string)[]; weights: number[] }[] = [
    { written: ['500m', '1'], weights: [500, 1000] },
    { written: [1, 9], weights: [1, 9] },
    { written: ['1', '1k'], weights: [1, 1000] },
    { written: ['0.5', 2], weights: [500, 2000] },
    { written: ['1u', 1], weights: [Number.NaN, 1000] },
    { written: ['-1', 1], weights: [Number.NaN, 1] },
    { written: ['x', 1], weights: [Number.NaN, 1000] },
  ];
  for (const { written, weights } of cases) {
    test(`${written.join(' and ')} are ${weights.join(' and ')}`, () => assert.deepEqual(weightsOf(written), weights));
  }

  test('shows the stored weights once they have been changed elsewhere', () => {
    const split = (weights: unknown[]): KubeObject => ({
      apiVersion: 'split.smi-spec.io/v1alpha1',
      kind: 'TrafficSplit',
      metadata: { name: 's' },
      spec: { service: 'a', backends: weights.map(each => ({ service: 'b', weight: each })) },
    });
    const object = toStorage(split(['500m', 1]));
    assert.equal(object.metadata.annotations?.[quantitiesAnnotation], '["500m",1]');
    const changed = { ...split([3, 4]), metadata: object.metadata };
    assert.deepEqual(fromStorage(changed)['spec'], split([3, 4])['spec']);
  });
});

describe('what an older version cannot show', () => {
  const object = (spec: object): KubeObject => ({ apiVersion: 'x/v1', kind: 'X', metadata: { name: 'x' }, spec });

  test('is reported, and kept', () => {
    const split = object({ service: 'a', backends: [], matches: [{ kind: 'HTTPRouteGroup', name: 'm' }] });
    const toTwo = conversionTo(trafficSplitKind, 'v1alpha2');
    assert.match(String(toTwo.loses?.(split)), /spec.matches needs v1alpha3/);
    assert.ok(toTwo.fromStorage(split).metadata.annotations?.[matchesAnnotation]);
    const route = object({ matches: { ports: [80] } });
    const toThree = conversionTo(tcpRouteKind, 'v1alpha3');
    assert.match(String(toThree.loses?.(route)), /needs v1alpha4/);
    assert.deepEqual(toThree.fromStorage(route).metadata.annotations, { [portsAnnotation]: '{"ports":[80]}' });
    assert.deepEqual(toThree.loses?.(object({})), []);
  });

  test('is ignored when it is invalid', () => {
    const toThree = conversionTo(tcpRouteKind, 'v1alpha3');
    for (const value of ['{', '[]', '{"ports":["x"]}', '{"ports":[0]}', 'null', '{"ports":[70000]}']) {
      const forged = { ...object({}), metadata: { name: 'x', annotations: { [portsAnnotation]: value } } };
      assert.deepEqual(toThree.toStorage(forged), forged, value);
    }
  });
});
