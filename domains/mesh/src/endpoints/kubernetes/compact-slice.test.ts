import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compactSlice, type EndpointSlice, sliceHealth } from './compact-slice.ts';

const someSlice = (more: Partial<EndpointSlice>): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web', more: 'of it' } },
  addressType: 'IPv4',
  ...more,
});

const healths: readonly (readonly [Parameters<typeof sliceHealth>[0], ReturnType<typeof sliceHealth>, string])[] = [
  [undefined, 'healthy', 'nothing is said against it'],
  [{}, 'healthy', 'nothing is said against it'],
  [{ ready: null }, 'healthy', 'nothing is said against it'],
  [{ ready: true, serving: true, terminating: false }, 'healthy', 'it is ready'],
  [{ ready: true, serving: true, terminating: true }, 'healthy', 'it is published whether it is ready or not'],
  [{ ready: false, serving: true, terminating: true }, 'draining', 'it is leaving and still answers'],
  [{ ready: false, serving: false, terminating: true }, 'unhealthy', 'it is leaving and answers no more'],
  [{ ready: false, terminating: true }, 'unhealthy', 'whether it serves is as whether it is ready'],
  [{ ready: false, serving: true, terminating: false }, 'unhealthy', 'it is not ready'],
  [{ ready: false }, 'unhealthy', 'it is not ready'],
];

describe('A compact slice', () => {
  for (const [conditions, health, why] of healths)
    it(`has an endpoint that is ${health} with ${JSON.stringify(conditions)}: ${why}`, () =>
      assert.equal(sliceHealth(conditions), health));

  it('counts invalid addresses, and keeps the others', () => {
    const endpoints = ['10.0.0.1', '300.0.0.1', '0.0.0.0'].map(ip => ({ addresses: [ip] }));
    const { addresses, ignored } = compactSlice(someSlice({ endpoints }));
    assert.deepEqual(
      addresses.map(({ ip }) => ip),
      ['10.0.0.1'],
    );
    assert.equal(ignored, '2 of its addresses are not of a machine, such as "300.0.0.1"');
  });

  it('belongs to the service of its label', () => {
    assert.equal(compactSlice(someSlice({})).service, 'shop/web');
    assert.equal(compactSlice(someSlice({ metadata: { name: 'web-1', namespace: 'shop' } })).service, undefined);
  });

  it('may have neither endpoints nor ports', () => {
    const slice = compactSlice(someSlice({ endpoints: null, ports: null }));
    assert.deepEqual([slice.addresses, slice.servedPorts, slice.ignored], [[], [], undefined]);
  });

  it('serves ports of TCP that have a number', () => {
    const ports = [{ port: 80 }, { name: 'any' }, { name: 'dns', port: 53, protocol: 'UDP' }];
    assert.deepEqual(compactSlice(someSlice({ ports })).servedPorts, [{ name: '', port: 80 }]);
  });

  it('drops labels, annotations and managed fields', () => {
    const { metadata } = compactSlice(
      someSlice({ metadata: { name: 'web-1', namespace: 'shop', annotations: { a: 'b' }, managedFields: [] } }),
    );
    assert.deepEqual(Object.keys(metadata).sort(), ['name', 'namespace']);
  });
});
