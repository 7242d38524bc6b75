import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import { startTestTopology } from './test-topology.ts';

const shop = (name: string) => ({ namespace: 'shop', name });
const split = (root: string, backends: Record<string, number>, more: object = {}) => ({
  spec: {
    service: root,
    backends: Object.entries(backends).map(([name, weight]) => ({ service: name, weight })),
    ...more,
  },
});
const account = (name: string) => ({ kind: 'ServiceAccount', name });
const target = (to: string, from: string[], rules: object[], destination: object = {}) => ({
  spec: { destination: { ...account(to), ...destination }, sources: from.map(account), rules },
});

test('irrelevant edits are not announced', async () => {
  await using world = await startTestTopology();
  await world.put('TrafficSplit', 'web', split('web', { a: 1 }));
  await world.news();
  const labels = { metadata: { name: 'web', namespace: 'shop', labels: { edited: 'yes' } } };
  await world.put('TrafficSplit', 'web', { ...split('web', { a: 1 }), ...labels });
  await world.put('TrafficSplit', 'later', split('other', { c: 1 }));
  assert.equal(await world.news(), 'shop/c shop/other | ');
  assert.equal(world.unread, 0);
});

test('a split names its root and its backends, before and after', async () => {
  await using world = await startTestTopology();
  const { topology } = world;
  await world.put('TrafficSplit', 'web', split('web', { 'web-v2': 10, 'web-v1': 90 }));
  assert.equal(await world.news(), 'shop/web shop/web-v1 shop/web-v2 | ');
  assert.deepEqual(topology.splitOf(shop('web')), {
    source: 'shop/web',
    root: shop('web'),
    backends: [
      { service: shop('web-v1'), weight: 90 },
      { service: shop('web-v2'), weight: 10 },
    ],
  });
  assert.deepEqual(
    topology.splitsTo(shop('web-v1')).map(({ source }) => source),
    ['shop/web'],
  );
  await world.put('TrafficSplit', 'web', split('shop', { 'web-v1': 1 }));
  assert.equal(await world.news(), 'shop/shop shop/web shop/web-v1 shop/web-v2 | ');
  assert.deepEqual([topology.splitOf(shop('web')), topology.splitsTo(shop('web-v2'))], [undefined, []]);
  await world.remove('TrafficSplit', 'web');
  assert.equal(await world.news(), 'shop/shop shop/web-v1 | ');
  assert.deepEqual([...topology.listTrafficSplits()], []);
});

test('a group of routes touches the splits and targets that use it', async () => {
  await using world = await startTestTopology();
  const { topology } = world;
  await world.put(
    'TrafficSplit',
    'web',
    split('web', { v1: 1 }, { matches: [{ kind: 'HTTPRouteGroup', name: 'beta' }] }),
  );
  await world.put('TrafficSplit', 'other', split('other', { v3: 1 }));
  await world.put(
    'TrafficTarget',
    'api',
    target('api', ['web'], [{ kind: 'HTTPRouteGroup', name: 'beta', matches: ['users'] }]),
  );
  await world.put('TrafficTarget', 'db', target('db', ['api'], [{ kind: 'TCPRoute', name: 'pg' }]));
  await eventually(() => topology.targetsTo(shop('db')).length > 0, { what: 'the last of them' });
  await world.news();
  assert.deepEqual(topology.splitOf(shop('web'))?.matches, [], 'a missing group divides nothing');
  assert.deepEqual(
    topology.targetsTo(shop('api')).map(({ http, tcpPorts }) => [http, tcpPorts]),
    [[[], undefined]],
  );
  assert.deepEqual(
    topology.targetsTo(shop('db')).map(({ tcpPorts }) => tcpPorts),
    [undefined],
  );

  const matches = [
    { name: 'users', pathRegex: '/users', methods: ['GET'], headers: [{ 'X-Beta': 'yes' }] },
    { name: 'any', methods: ['*'] },
  ];
  await world.put('HTTPRouteGroup', 'beta', { spec: { matches } });
  assert.equal(await world.news(), 'shop/v1 shop/web | shop/api shop/web');
  const users = { name: 'users', pathRegex: '/users', methods: ['GET'], headers: { 'x-beta': 'yes' } };
  assert.deepEqual(topology.splitOf(shop('web'))?.matches, [users, { name: 'any', methods: [], headers: {} }]);
  assert.deepEqual(
    topology.targetsTo(shop('api')).map(({ http }) => http),
    [[users]],
  );

  await world.put('TCPRoute', 'pg', { spec: { matches: { ports: [5432] } } });
  assert.equal(await world.news(), ' | shop/api shop/db');
  assert.deepEqual(
    topology.targetsTo(shop('db')).map(({ tcpPorts }) => tcpPorts),
    [[5432]],
  );
  await world.put('TCPRoute', 'pg', { spec: {} });
  await world.news();
  assert.deepEqual(
    topology.targetsFrom(shop('api')).map(({ tcpPorts }) => tcpPorts),
    ['all'],
  );
  await world.remove('TCPRoute', 'pg');
  await world.news();
  assert.deepEqual(
    topology.targetsTo(shop('db')).map(({ tcpPorts }) => tcpPorts),
    [undefined],
  );
});

test('targets are found by source and destination while they exist', async () => {
  await using world = await startTestTopology();
  const { topology } = world;
  const rules = [{ kind: 'TCPRoute', name: 'all' }];
  await world.put('TCPRoute', 'all', { spec: {} });
  await world.put('TrafficTarget', 't', target('api', ['web', 'cron'], rules));
  assert.equal(await world.news(), ' | shop/api shop/cron shop/web');
  const sources = (name: string): string[] => topology.targetsFrom(shop(name)).map(({ source }) => source);
  assert.deepEqual([sources('web'), sources('cron'), sources('api')], [['shop/t'], ['shop/t'], []]);
  await world.put('TrafficTarget', 't', target('api', ['web'], rules, { port: 8080 }));
  assert.equal(await world.news(), ' | shop/api shop/cron shop/web');
  assert.deepEqual(sources('cron'), []);
  assert.deepEqual(topology.targetsTo(shop('api'))[0]?.tcpPorts, [8080]);
  await world.put('TrafficTarget', 'foreign', target('api', ['web'], rules, { namespace: 'bank' }));
  await world.remove('TrafficTarget', 't');
  assert.equal(await world.news(), ' | shop/api shop/web');
  assert.deepEqual([...topology.listTrafficTargets()], [], 'nobody opens accounts of other namespaces');
});

test('a topology that is disposed of before it is synced rejects', async () => {
  await using world = await startTestTopology();
  const { createTopology } = await import('./create-topology.ts');
  const hanging = { list: () => new Promise<never>(() => undefined), watch: async function* () {} };
  const client = hanging as unknown as Parameters<typeof createTopology>[0]['topologyClient'];
  const topology = createTopology({ topologyClient: client, isPermissive: true });
  assert.equal(topology.isSynced, false);
  const rejection = assert.rejects(topology.synced, error => isError(error, 'Stopped'));
  void topology[Symbol.asyncDispose]();
  await rejection;
  assert.equal(world.topology.isSynced, true);
});
