import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { httpRouteGroups } from '../kinds/smi/http-route-group.ts';
import { trafficSplits } from '../kinds/smi/traffic-split.ts';
import { type SmiTrafficTarget, trafficTargets } from '../kinds/smi/traffic-target.ts';
import type { HttpMatch } from '../model/topology.ts';
import { httpMatchesOf } from './resolve-routes.ts';
import { chooseSplit, resolveSplit } from './resolve-split.ts';
import { resolveTarget } from './resolve-target.ts';

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

test('a group that is too large means no request', () => {
  const groupOf = (matches: readonly object[]) =>
    httpRouteGroups.object({ name: 'g', namespace: 'shop' }, { matches: matches as { name: string }[] });
  const count = (matches: readonly object[]): number => httpMatchesOf(groupOf(matches)).length;
  const many = (length: number, more: object) => Array.from({ length }, (_, index) => ({ name: `m${index}`, ...more }));
  assert.deepEqual([count(many(1000, {})), count(many(1001, {}))], [1000, 0]);
  const pattern = 'a'.repeat(1000);
  assert.deepEqual([count(many(131, { pathRegex: pattern })), count(many(132, { pathRegex: pattern }))], [131, 0]);
  assert.equal(count(many(132, { headers: [{ a: pattern }] })), 0);
});

test('duplicate methods are sent to proxies once', () => {
  const matches = [{ name: 'm', methods: ['GET', 'PUT', 'GET'] as ('GET' | 'PUT')[] }];
  const group = httpRouteGroups.object({ name: 'g', namespace: 'shop' }, { matches });
  assert.deepEqual(httpMatchesOf(group)[0]?.methods, ['GET', 'PUT']);
});

test('a target with too many rules allows nothing, and a split with too many groups divides nothing', () => {
  const match: HttpMatch = { name: 'm', methods: [], headers: {} };
  const routes = { httpMatches: () => [match], tcpPorts: () => [] };
  const metadata = { name: 't', namespace: 'shop' };
  const groups = (length: number) => Array.from({ length }, () => ({ kind: 'HTTPRouteGroup' as const, name: 'g' }));
  const allowed = (count: number) => {
    const destination = { kind: 'ServiceAccount', name: 'api' } as const;
    const target = trafficTargets.object(metadata, { destination, sources: [], rules: groups(count) });
    return resolveTarget(target, routes)?.http.length;
  };
  assert.deepEqual([allowed(100), allowed(101)], [100, undefined]);
  const divided = (count: number) => {
    const split = trafficSplits.object(metadata, { service: 'web', backends: [], matches: groups(count) });
    return resolveSplit(split, () => [match]).matches?.length;
  };
  assert.deepEqual([divided(100), divided(101)], [100, 0]);
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
