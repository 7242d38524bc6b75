import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { httpRouteGroups } from '../kinds/smi/http-route-group.ts';
import { trafficSplits } from '../kinds/smi/traffic-split.ts';
import { type SmiTrafficTarget, trafficTargets } from '../kinds/smi/traffic-target.ts';
import type { HttpMatch } from '../model/topology.ts';
import { mergeServices } from './merge-services.ts';
import { protocolOf } from './port-protocol.ts';
import { httpMatchesOf } from './resolve-routes.ts';
import { chooseSplit } from './resolve-split.ts';
import { resolveTarget } from './resolve-target.ts';

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

test('addresses are kept by cluster, and what is no TCP is left out', () => {
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

test('of two splits of a root the older holds, then the first by name', () => {
  const split = (name: string, creationTimestamp: string) =>
    trafficSplits.object({ name, namespace: 'shop', creationTimestamp }, { service: 'web', backends: [] });
  const [old, young, twin] = [
    split('z', '2026-01-01T00:00:00Z'),
    split('b', '2026-01-02T00:00:00Z'),
    split('a', '2026-01-02T00:00:00Z'),
  ];
  assert.equal(chooseSplit([young, old, twin]), old);
  assert.equal(chooseSplit([young, twin]), twin);
  assert.equal(chooseSplit([]), undefined);
});

test('matches that proxies would not understand mean no request', () => {
  const group = httpRouteGroups.object(
    { name: 'g', namespace: 'shop' },
    {
      matches: [
        { name: 'bad path', pathRegex: '(?=a)' },
        { name: 'bad header', headers: { a: '[' } },
        { name: 'twice', headers: [{ a: 'x' }, { A: 'y' }] },
        { name: 'good', methods: ['GET'] },
      ],
    },
  );
  assert.deepEqual(
    httpMatchesOf(group).map(({ name }) => name),
    ['good'],
  );
});

describe('a target that names a port', () => {
  const match: HttpMatch = { name: 'm', methods: [], headers: {} };
  const routes = {
    httpMatches: () => [match],
    tcpPorts: (_: string, name: string) => (name === 'all' ? [] : [80, 90]),
  };
  const of = (port: number | string | undefined, tcp: string) => {
    const spec: SmiTrafficTarget['spec'] = {
      destination: { kind: 'ServiceAccount', name: 'api', ...(port === undefined ? {} : { port }) },
      sources: [],
      rules: [
        { kind: 'HTTPRouteGroup', name: 'g' },
        { kind: 'TCPRoute', name: tcp },
        { kind: 'UDPRoute', name: 'u' },
      ],
    };
    const { http, httpPorts, tcpPorts } =
      resolveTarget(trafficTargets.object({ name: 't', namespace: 'shop' }, spec), routes) ?? {};
    return [http?.length, httpPorts, tcpPorts];
  };
  const cases: readonly { port?: number | string; tcp: string; wanted: unknown[] }[] = [
    { tcp: 'all', wanted: [1, undefined, 'all'] },
    { tcp: 'some', wanted: [1, undefined, [80, 90]] },
    { port: 80, tcp: 'all', wanted: [1, [80], [80]] },
    { port: '80', tcp: 'some', wanted: [1, [80], [80]] },
    { port: 8080, tcp: 'some', wanted: [1, [8080], undefined] },
    { port: 'http', tcp: 'all', wanted: [0, undefined, undefined] },
  ];
  for (const { port, tcp, wanted } of cases) {
    test(`${port ?? 'none'} with ${tcp} ports allows no more than that`, () => assert.deepEqual(of(port, tcp), wanted));
  }
});
