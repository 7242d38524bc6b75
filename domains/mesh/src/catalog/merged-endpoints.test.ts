import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../model/endpoint.ts';
import { type EndpointsChange, MergedEndpoints } from './merged-endpoints.ts';
import { TestEndpoints, testEndpoint } from './test-endpoints.ts';

const key = 'shop/catalog';

function start(...providers: TestEndpoints[]) {
  const told: EndpointsChange[][] = [];
  const merged = new MergedEndpoints(providers, changes => told.push([...changes]));
  return { merged, told };
}

const ips = (endpoints: readonly Endpoint[]): string[] => endpoints.map(({ ip }) => ip);

test('what several providers know of a service is one list, each address once', () => {
  const [first, second] = [new TestEndpoints('first'), new TestEndpoints('second')];
  first.set(key, [testEndpoint('10.0.0.1'), testEndpoint('10.0.0.2')]);
  const { merged, told } = start(first, second);
  second.set(key, [testEndpoint('10.0.0.2', { cluster: 'other' }), testEndpoint('10.0.0.3')]);
  assert.deepEqual(ips(merged.of(key)), ['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  assert.equal(merged.of(key)[1]?.cluster, 'east', 'the first provider is believed');
  assert.deepEqual(
    told.flat().map(({ service, isUrgent }) => [service, isUrgent]),
    [[key, false]],
  );
  assert.deepEqual(merged.of('shop/unknown'), []);
});

const losses: readonly { why: string; after: readonly Endpoint[]; isUrgent: boolean }[] = [
  { why: 'one more', after: [testEndpoint('10.0.0.1'), testEndpoint('10.0.0.2')], isUrgent: false },
  { why: 'one less', after: [], isUrgent: true },
  { why: 'one that becomes unhealthy', after: [testEndpoint('10.0.0.1', { health: 'unhealthy' })], isUrgent: true },
  { why: 'one that drains', after: [testEndpoint('10.0.0.1', { health: 'draining' })], isUrgent: true },
  { why: 'another zone', after: [testEndpoint('10.0.0.1', { zone: 'b' })], isUrgent: false },
];
for (const { why, after, isUrgent } of losses) {
  test(`a change is urgent when traffic would go astray: ${why}`, () => {
    const provider = new TestEndpoints('first');
    provider.set(key, [testEndpoint('10.0.0.1')]);
    const { told } = start(provider);
    provider.set(key, after);
    assert.deepEqual(
      told.flat().map(change => change.isUrgent),
      [isUrgent],
    );
  });
}

test('nothing is announced without a difference', () => {
  const provider = new TestEndpoints('first');
  provider.set(key, [testEndpoint('10.0.0.1')]);
  const { merged, told } = start(provider);
  const { version } = merged;
  provider.set(key, [testEndpoint('10.0.0.1')]);
  assert.deepEqual([told, merged.version], [[], version]);
});

test('accounts are known by service and services by account', () => {
  const provider = new TestEndpoints('first');
  const { merged, told } = start(provider);
  provider.set(key, [
    testEndpoint('10.0.0.1', { serviceAccount: 'v1' }),
    testEndpoint('10.0.0.2', { serviceAccount: 'v2' }),
  ]);
  assert.deepEqual(merged.accountsOf(key), ['shop/v1', 'shop/v2']);
  assert.deepEqual([...merged.servicesOf('shop/v2')], [key]);
  provider.set(key, [testEndpoint('10.0.0.1', { serviceAccount: 'v1' })]);
  assert.deepEqual([...merged.servicesOf('shop/v2')], []);
  assert.deepEqual(
    told.map(changes => [...(changes[0]?.changedAccounts ?? [])]),
    [['shop/v1', 'shop/v2'], ['shop/v2']],
  );
});

test('the version returns to the former one with the former endpoints', () => {
  const provider = new TestEndpoints('first');
  provider.set(key, [testEndpoint('10.0.0.1')]);
  const { merged } = start(provider);
  const { version } = merged;
  provider.set(key, []);
  assert.notEqual(merged.version, version);
  provider.set(key, [testEndpoint('10.0.0.1')]);
  assert.equal(merged.version, version);
});
