import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { meshAdmissionRules } from './admission-rules.ts';

function admit(apiVersion: string, kind: string, body: object, others: readonly KubeObject[] = []) {
  const [group = ''] = apiVersion.split('/');
  const rule = meshAdmissionRules.find(({ group: g, plural }) => g === group && plural === `${kind.toLowerCase()}s`);
  assert.ok(rule?.admit);
  const object = { apiVersion, kind, metadata: { name: 'new', namespace: 'shop' }, ...body };
  return rule.admit({ object, others });
}

const split = (name: string, service: string, backends: Record<string, unknown>) => ({
  apiVersion: 'split.smi-spec.io/v1alpha4',
  kind: 'TrafficSplit',
  metadata: { name, namespace: 'shop' },
  spec: { service, backends: Object.entries(backends).map(([backend, weight]) => ({ service: backend, weight })) },
});

describe('a TrafficSplit', () => {
  const present = [split('other', 'cart', { 'cart-v1': 1, 'cart-v2': 1 })];
  const cases: readonly {
    why: string;
    service: string;
    backends: Record<string, unknown>;
    says?: RegExp;
    reason?: string;
    version?: string;
  }[] = [
    { why: 'that is the only one is allowed', service: 'web', backends: { 'web-v1': 90, 'web-v2': 10 } },
    { why: 'with zero weights only is allowed', service: 'web', backends: { 'web-v1': 0 } },
    {
      why: 'of a divided root is a conflict',
      service: 'cart',
      backends: { a: 1 },
      says: /"other" already divides/,
      reason: 'Conflict',
    },
    { why: 'to itself is rejected', service: 'web', backends: { web: 1, 'web-v2': 1 }, says: /backend of itself/ },
    { why: 'to a service with a split is rejected', service: 'web', backends: { cart: 1 }, says: /cannot be chained/ },
    { why: 'of a backend is rejected', service: 'cart-v1', backends: { x: 1 }, says: /cannot be chained/ },
    {
      why: 'with weights beyond 32 bits is rejected',
      service: 'web',
      backends: { a: 4294967295, b: 1 },
      says: /add up/,
    },
    { why: 'with a fraction is rejected', service: 'web', backends: { a: 0.5 }, says: /whole number/ },
    {
      why: 'with quantities is allowed in v1alpha1',
      service: 'web',
      backends: { a: '500m', b: 1 },
      version: 'v1alpha1',
    },
    {
      why: 'with an odd quantity is rejected',
      service: 'web',
      backends: { a: 'much' },
      version: 'v1alpha1',
      says: /whole number/,
    },
    {
      why: 'with a negative quantity is rejected',
      service: 'web',
      backends: { a: '-1' },
      version: 'v1alpha1',
      says: /whole number/,
    },
  ]; // prettier-ignore
  for (const { why, service, backends, says, reason = 'Invalid', version = 'v1alpha4' } of cases) {
    test(why, () => {
      const { spec } = split('new', service, backends);
      const admission = admit(`split.smi-spec.io/${version}`, 'TrafficSplit', { spec }, present);
      if (says === undefined) return assert.equal(admission.type, 'allow');
      assert.ok(admission.type === 'reject', 'it was allowed');
      assert.match(admission.message, says);
      assert.equal(admission.reason, reason);
    });
  }

  test('may be changed, and always deleted', () => {
    const { spec } = split('other', 'cart', { 'cart-v1': 5 });
    const metadata = { name: 'other', namespace: 'shop' };
    assert.equal(admit('split.smi-spec.io/v1alpha4', 'TrafficSplit', { metadata, spec }, present).type, 'allow');
    const dying = { name: 'new', namespace: 'shop', deletionTimestamp: '2030-01-01T00:00:00Z' };
    assert.equal(admit('split.smi-spec.io/v1alpha4', 'TrafficSplit', { metadata: dying, spec }, present).type, 'allow');
  });

  test('names each backend once', () => {
    const spec = {
      service: 'web',
      backends: [
        { service: 'a', weight: 1 },
        { service: 'a', weight: 2 },
      ],
    };
    const admission = admit('split.smi-spec.io/v1alpha4', 'TrafficSplit', { spec });
    assert.match(admission.type === 'reject' ? admission.message : '', /listed twice/);
  });
});

describe('a TrafficTarget', () => {
  const account = { kind: 'ServiceAccount', name: 'api' };
  const rules = [{ kind: 'TCPRoute', name: 'r' }];
  const cases: readonly { why: string; destination: object; rules?: object[]; says?: RegExp }[] = [
    { why: 'for its own namespace is allowed', destination: { ...account, namespace: 'shop' } },
    { why: 'without a namespace means its own', destination: account },
    {
      why: 'for another namespace is rejected',
      destination: { ...account, namespace: 'bank' },
      says: /must be "shop"/,
    },
    { why: 'may be limited to a port', destination: { ...account, port: '8080' } },
    { why: 'needs a port that is one', destination: { ...account, port: 'http' }, says: /no port/ },
    { why: 'needs a port in range', destination: { ...account, port: 70000 }, says: /no port/ },
    {
      why: 'cannot choose among ports by name',
      destination: account,
      rules: [{ kind: 'TCPRoute', name: 'r', matches: ['a'] }],
      says: /no names/,
    },
  ];
  for (const { why, destination, says, rules: own = rules } of cases) {
    test(why, () => {
      for (const [version, body] of [
        ['v1alpha3', { spec: { destination, rules: own, sources: [] } }],
        ['v1alpha1', { destination, specs: own, sources: [] }],
      ] as const) {
        const admission = admit(`access.smi-spec.io/${version}`, 'TrafficTarget', body);
        if (says === undefined) assert.equal(admission.type, 'allow');
        else assert.match(admission.type === 'reject' ? admission.message : 'allowed', says);
      }
    });
  }
});

describe('an HTTPRouteGroup', () => {
  const cases: readonly { why: string; match: object; says: RegExp }[] = [
    { why: 'look-around', match: { pathRegex: '(?=a)' }, says: /no RE2: .*look-around/ },
    { why: 'a back reference in a header', match: { headers: { a: '(a)\\1' } }, says: /header "a" is no RE2/ },
    { why: 'a header with a bad name', match: { headers: { 'a b': 'x' } }, says: /no name of a header/ },
    { why: 'a header pattern that is no text', match: { headers: { a: 1 } }, says: /must be text/ },
    { why: 'headers that are none', match: { headers: 'x' }, says: /names with patterns/ },
    { why: 'the same header twice', match: { headers: [{ a: 'x' }, { A: 'y' }] }, says: /given twice/ },
  ];
  for (const { why, match, says } of cases) {
    test(`with ${why} is rejected`, () => {
      const spec = { matches: [{ name: 'm', ...match }] };
      const admission = admit('specs.smi-spec.io/v1alpha4', 'HTTPRouteGroup', { spec });
      assert.match(admission.type === 'reject' ? admission.message : 'allowed', says);
    });
  }

  test('has its headers stored as one map, in every version', () => {
    const matches = [{ name: 'm', methods: ['GET'], headers: [{ a: 'x' }, { b: 'y' }] }];
    const wanted = [{ name: 'm', methods: ['GET'], headers: { a: 'x', b: 'y' } }];
    const current = admit('specs.smi-spec.io/v1alpha4', 'HTTPRouteGroup', { spec: { matches } });
    assert.deepEqual(current.type === 'allow' && current.object?.['spec'], { matches: wanted });
    const old = admit('specs.smi-spec.io/v1alpha2', 'HTTPRouteGroup', { matches });
    assert.deepEqual(old.type === 'allow' && old.object?.['matches'], wanted);
  });

  test('names its matches differently', () => {
    const spec = { matches: [{ name: 'm' }, { name: 'm' }] };
    const admission = admit('specs.smi-spec.io/v1alpha4', 'HTTPRouteGroup', { spec });
    assert.match(admission.type === 'reject' ? admission.message : '', /two matches/);
  });
});

describe('a group that is too large for proxies is rejected', () => {
  const specs = 'specs.smi-spec.io/v1alpha4';
  const many = <T>(length: number, make: (index: number) => T): T[] =>
    Array.from({ length }, (_, index) => make(index));
  const account = { kind: 'ServiceAccount', name: 'api' };
  const named = (): object => ({ kind: 'HTTPRouteGroup', name: 'g' });
  const cases: readonly { why: string; apiVersion: string; kind: string; spec: object; says: RegExp }[] = [
    {
      why: 'a group of very many matches',
      ...{ apiVersion: specs, kind: 'HTTPRouteGroup', says: /there are 1001, and at most 1000/ },
      spec: { matches: many(1001, index => ({ name: `m${index}` })) },
    },
    {
      why: 'a group of very long patterns',
      ...{ apiVersion: specs, kind: 'HTTPRouteGroup', says: /have 200000 characters together/ },
      spec: { matches: many(200, index => ({ name: `m${index}`, pathRegex: 'a'.repeat(1000) })) },
    },
    {
      why: 'a target of very many rules',
      ...{ apiVersion: 'access.smi-spec.io/v1alpha3', kind: 'TrafficTarget', says: /spec.rules: there are 101/ },
      spec: { destination: account, sources: [account], rules: many(101, named) },
    },
    {
      why: 'a split by very many groups',
      ...{ apiVersion: 'split.smi-spec.io/v1alpha4', kind: 'TrafficSplit', says: /spec.matches: there are 101/ },
      spec: { service: 'web', backends: [{ service: 'v1', weight: 1 }], matches: many(101, named) },
    },
  ];
  for (const { why, apiVersion, kind, spec, says } of cases) {
    test(why, () => {
      const admission = admit(apiVersion, kind, { spec });
      assert.ok(admission.type === 'reject' && says.test(admission.message), JSON.stringify(admission));
    });
  }
});
