import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { finishSteps } from '@chandlery/platform';
import { serviceKey } from '../service-name.ts';
import type { HttpMatch } from '../topology.ts';
import { callAccess } from './call-access.ts';
import { type GraphSelection, meshGraph } from './mesh-graph.ts';
import { allow, divide, httpPort, needsOf, shop, type TestMesh, tcpPort } from './test-policy-deps.ts';

const any: HttpMatch = { name: 'any', methods: [], headers: {} };

function graphOf(mesh: TestMesh, selection: Partial<GraphSelection> = {}) {
  const deps = needsOf(mesh);
  const listServices = () =>
    Object.keys(mesh.services)
      .toSorted()
      .flatMap(name => deps.services.getService(shop(name)) ?? []);
  const splitsTo = ({ name }: { readonly name: string }) =>
    (mesh.splits ?? []).filter(({ backends }) => backends.some(({ service }) => service.name === name));
  return finishSteps(meshGraph({ offset: 0, limit: 100, ...selection }, { ...deps, listServices, splitsTo }));
}

const callsOf = ({ calls }: ReturnType<typeof graphOf>): string[] =>
  calls.map(({ from, to, access }) => `${from} ${access} ${to}`).toSorted();

describe('the access of an account to a service', () => {
  const accessOf = (mesh: Partial<TestMesh>) => {
    const deps = needsOf({ services: { api: 'api' }, ...mesh });
    const service = deps.services.getService(shop('api'));
    assert.ok(service);
    return callAccess(shop('web'), service, deps);
  };
  const grant = { source: 'acme/orders', consumer: shop('web') };
  const cases: readonly { why: string; mesh: Partial<TestMesh>; access: string; policies?: string[] }[] = [
    { why: 'none without a policy', mesh: {}, access: 'none', policies: [] },
    { why: 'all in a permissive mesh', mesh: { isPermissive: true }, access: 'all', policies: [] },
    { why: 'some with conditions', mesh: { targets: [allow('web', 'api')] }, access: 'some' },
    { why: 'all without conditions', mesh: { targets: [allow('web', 'api', { http: [any] })] }, access: 'all' },
    { why: 'none by a target without rules', mesh: { targets: [allow('web', 'api', { http: [] })] }, access: 'none' },
    {
      why: 'some of the ports',
      mesh: { targets: [allow('web', 'api', { http: [any] })], ports: { api: [httpPort, tcpPort] } },
      access: 'some',
    },
    {
      why: 'all by two targets together',
      mesh: {
        targets: [allow('web', 'api', { http: [any] }), allow('web', 'api', { http: [], tcpPorts: [5432] })],
        ports: { api: [httpPort, tcpPort] },
      },
      access: 'all',
    },
    { why: 'all by a binding', mesh: { grants: { api: [grant] } }, access: 'all', policies: ['acme/orders'] },
    { why: 'none without a binding', mesh: { unproxied: ['api'] }, access: 'none', policies: [] },
  ];
  for (const { why, mesh, access, policies = ['shop/web-to-api'] } of cases)
    test(why, () => {
      const found = accessOf(mesh);
      assert.equal(found.access, access);
      assert.deepEqual(
        found.policies.map(({ name }) => name),
        policies,
      );
      assert.notEqual(found.why, '');
    });
});

describe('the graph of a mesh', () => {
  const mesh: TestMesh = {
    services: { web: 'web', api: 'api', db: 'db', other: 'other' },
    targets: [allow('web', 'api'), allow('api', 'db', { http: [any] }), allow('cron', 'db')],
  };

  test('has the services of a page with the calls that policies are about', () => {
    const graph = graphOf(mesh);
    assert.deepEqual(graph.services.map(serviceKey), ['shop/api', 'shop/db', 'shop/other', 'shop/web']);
    assert.deepEqual(callsOf(graph), ['shop/api all shop/db', 'shop/cron some shop/db', 'shop/web some shop/api']);
    const page = graphOf(mesh, { offset: 1, limit: 2 });
    assert.deepEqual([page.services.map(serviceKey), page.total], [['shop/db', 'shop/other'], 4]);
    assert.deepEqual(graphOf(mesh, { search: 'we' }).services.map(serviceKey), ['shop/web']);
  });

  test('has the neighbours of a service, and what is denied between them', () => {
    const graph = graphOf(mesh, { focus: shop('api') });
    assert.equal(serviceKey(graph.services[0] ?? shop('')), 'shop/api');
    assert.deepEqual(callsOf(graph), [
      'shop/api all shop/db',
      'shop/api none shop/other',
      'shop/api none shop/web',
      'shop/db none shop/api',
      'shop/other none shop/api',
      'shop/web some shop/api',
    ]);
    assert.deepEqual(graphOf(mesh, { focus: shop('nothing') }).services, []);
  });

  test('has the weights of splits, and their roots and backends as neighbours', () => {
    const split = {
      ...mesh,
      splits: [divide('apex', { api: 9, other: 1 })],
      services: { ...mesh.services, apex: 'api' },
    };
    const [apex] = graphOf(split, { focus: shop('apex') }).services;
    assert.deepEqual(
      apex?.split?.backends.map(({ weight }) => weight),
      [9, 1],
    );
    assert.ok(graphOf(split, { focus: shop('other') }).services.some(({ name }) => name === 'apex'));
    assert.deepEqual(apex?.endpoints, { healthy: 2 });
  });

  test('of a permissive mesh has no calls: all services call all', () => {
    assert.deepEqual(graphOf({ ...mesh, isPermissive: true }).calls, []);
    assert.deepEqual(graphOf({ ...mesh, isPermissive: true }, { focus: shop('api') }).calls, []);
  });

  test('has no more calls than people can read, however many callers a policy names', () => {
    const sources = Array.from({ length: 50_000 }, (_, index) => shop(`caller-${index}`));
    const crowd = { services: { api: 'api' }, targets: [allow('web', 'api', { sources })] };
    const graph = graphOf(crowd);
    assert.deepEqual([graph.calls.length, graph.isCut], [2000, true]);
  });

  test('has no more services than it may', () => {
    const graph = graphOf(mesh, { focus: shop('api'), limit: 2 });
    assert.deepEqual([graph.services.length, graph.isCut], [2, true]);
  });
});
