import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergeServices } from './merge-services.ts';
import { protocolOf } from './port-protocol.ts';

describe('what a port speaks', () => {
  const cases: readonly { name?: string; appProtocol?: string; wanted: 'http' | 'tcp' }[] = [
    { name: 'http', wanted: 'http' },
    { name: 'HTTP2-admin', wanted: 'http' },
    { name: 'grpc-web', wanted: 'http' },
    { name: 'h2c', wanted: 'http' },
    { name: 'https', wanted: 'tcp' },
    { name: 'httpish', wanted: 'tcp' },
    { name: 'mysql', wanted: 'tcp' },
    { wanted: 'tcp' },
    { name: 'web', appProtocol: 'kubernetes.io/h2c', wanted: 'http' },
    { name: 'http', appProtocol: 'mysql', wanted: 'tcp' },
    { name: 'x', appProtocol: 'HTTP', wanted: 'http' },
  ];
  for (const { name, appProtocol, wanted } of cases) {
    test(`${appProtocol ?? ''} ${name ?? '(no name)'} is ${wanted}`, () => {
      const port = { port: 1, ...(name && { name }), ...(appProtocol && { appProtocol }) };
      assert.equal(protocolOf(port), wanted);
    });
  }
});

test('addresses are separated by cluster, and ports other than TCP are left out', () => {
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'http', port: 80 },
  ];
  const merged = mergeServices({ namespace: 'shop', name: 'web' }, [
    { cluster: 'east', ports, clusterIps: ['10.0.0.2', 'FD00::1'] },
    { cluster: 'west', ports, clusterIps: ['None'] },
  ]);
  assert.deepEqual(merged?.service.addressesIn, { east: ['10.0.0.2', 'fd00::1'], west: [] });
  assert.deepEqual(merged?.service.ports, [{ name: 'http', port: 80, protocol: 'http' }]);
  assert.equal(merged?.mismatch, undefined);
});
