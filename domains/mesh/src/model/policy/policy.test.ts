import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ServiceGrant } from '../topology.ts';
import { inboundPolicyOf } from './inbound-policy.ts';
import { outboundService } from './outbound-service.ts';
import { allow, divide, get, httpPort, needsOf, scopeOf, shop, type TestMesh, tcpPort } from './test-policy-deps.ts';

const services = { web: 'web', api: 'api', 'api-v1': 'api', 'api-v2': 'api-two', apex: undefined };

/** The services that an account may call. */
const callableBy = (account: string, mesh: Partial<TestMesh>): string[] => {
  const all = { ...services, ...mesh.services };
  return Object.keys(all).filter(name =>
    outboundService(shop(name), scopeOf(account), needsOf({ ...mesh, services: all })),
  );
};

describe('the services that an account may call', () => {
  const cases: readonly { why: string; mesh: Partial<TestMesh>; wanted: string[] }[] = [
    { why: 'none without a target', mesh: {}, wanted: [] },
    { why: 'all in a permissive mesh', mesh: { isPermissive: true }, wanted: Object.keys(services) },
    {
      why: 'those of the account that a target opens, and those that are empty',
      mesh: { targets: [allow('web', 'api')] },
      wanted: ['api', 'api-v1', 'apex'],
    },
    { why: 'none by a target for others', mesh: { targets: [allow('cron', 'api')] }, wanted: [] },
    { why: 'none by a target that allows nothing', mesh: { targets: [allow('web', 'api', { http: [] })] }, wanted: [] },
    {
      why: 'those of a target for connections',
      mesh: { targets: [allow('web', 'api', { http: [], tcpPorts: 'all' })] },
      wanted: ['api', 'api-v1', 'apex'],
    },
    {
      why: 'a root without endpoints, by one of its backends',
      mesh: { targets: [allow('web', 'api-two')], splits: [divide('apex', { 'api-v1': 1, 'api-v2': 1 })] },
      wanted: ['api-v2', 'apex'],
    },
    {
      why: 'not a root without callable backends',
      mesh: { targets: [allow('web', 'api')], splits: [divide('api', { 'api-v2': 1 })] },
      wanted: ['api-v1', 'apex'],
    },
    {
      why: 'a root with a split of some requests',
      mesh: { targets: [allow('web', 'api')], splits: [divide('api', { 'api-v2': 1 }, { matches: [get] })] },
      wanted: ['api', 'api-v1', 'apex'],
    },
  ];
  for (const { why, mesh, wanted } of cases) test(why, () => assert.deepEqual(callableBy('web', mesh), wanted));
});

test('an outbound service has the addresses of the own cluster and the principals of its accounts', () => {
  const deps = needsOf({ services, targets: [allow('web', 'api')] });
  const outbound = outboundService(shop('api'), scopeOf('web'), deps);
  assert.deepEqual([outbound?.addresses, outbound?.split], [['10.0.0.1'], undefined]);
  assert.deepEqual(outbound?.principals, [
    'spiffe://one/tenant/acme/cluster/east/ns/shop/sa/api',
    'spiffe://one/tenant/acme/cluster/west/ns/shop/sa/api',
    'spiffe://two/tenant/acme/cluster/east/ns/shop/sa/api',
    'spiffe://two/tenant/acme/cluster/west/ns/shop/sa/api',
  ]);
  assert.equal(outboundService(shop('nobody'), scopeOf('web'), deps), undefined);
});

test('a split has only backends that are callable and have the ports of the root', () => {
  const backends = { 'api-v2': 2, 'api-v1': 1, closed: 5, portless: 7, unknown: 9 };
  const deps = needsOf({
    services: { ...services, closed: 'closed', portless: 'api' },
    ports: { portless: [tcpPort] },
    splits: [divide('apex', backends)],
    targets: [allow('web', 'api'), allow('web', 'api-two')],
  });
  assert.deepEqual(outboundService(shop('apex'), scopeOf('web'), deps)?.split, {
    source: 'shop/apex',
    backends: [
      { service: shop('api-v1'), weight: 1 },
      { service: shop('api-v2'), weight: 2 },
    ],
  });
});

describe('the inbound policy of an account', () => {
  const ports = { api: [httpPort, tcpPort] };

  test('has the ports of its services with where it listens, on its own cluster', () => {
    const policy = inboundPolicyOf(scopeOf('api'), needsOf({ services: { api: 'api' }, ports }));
    assert.deepEqual(policy, {
      ports: [
        { ...tcpPort, service: shop('api'), targetPort: 13_432 },
        { ...httpPort, service: shop('api'), targetPort: 8080 },
      ],
      rules: [],
    });
  });

  test('has the ports of machines outside any cluster, whose account is in its cluster', () => {
    const deps = needsOf({ services: { api: 'api' } });
    const onMachines = (accountCluster: string) => ({
      ...deps,
      endpointsOf: () => [
        { ip: '10.5.0.1', port: 9000, portName: 'http', health: 'healthy' as const, cluster: 'azure' },
        {
          ...{ ip: '10.5.0.2', port: 9090, portName: 'http', health: 'healthy' as const, cluster: 'azure' },
          ...{ serviceAccount: 'api', accountCluster },
        },
      ],
    });
    const portsOf = (accountCluster: string) =>
      inboundPolicyOf(scopeOf('api'), onMachines(accountCluster)).ports.map(({ targetPort }) => targetPort);
    assert.deepEqual(portsOf('east'), [9090]);
    assert.deepEqual(portsOf('west'), [], 'the same account of another cluster is another one');
  });

  test('has target ports', () => {
    const targets = [
      allow('web', 'api', { httpPorts: [80], tcpPorts: [5432, 9999] }),
      allow('cron', 'api', { tcpPorts: 'all' }),
    ];
    const { rules } = inboundPolicyOf(scopeOf('api'), needsOf({ services: { api: 'api' }, ports, targets }));
    assert.deepEqual(
      rules.map(({ source, httpPorts, tcpPorts }) => [source, httpPorts, tcpPorts]),
      [
        ['shop/cron-to-api', undefined, 'all'],
        ['shop/web-to-api', [8080], [13_432]],
      ],
    );
    assert.equal(rules[1]?.principals.length, 4);
    assert.equal(rules[1].principals[0], 'spiffe://one/tenant/acme/cluster/east/ns/shop/sa/web');
  });

  test('has no rule without callers or permissions', () => {
    const targets = [allow('web', 'api', { sources: [] }), allow('cron', 'api', { http: [], tcpPorts: [9999] })];
    assert.deepEqual(inboundPolicyOf(scopeOf('api'), needsOf({ services: { api: 'api' }, ports, targets })).rules, []);
  });
});

describe('access by binding', () => {
  const toDb = (name: string, cluster?: string): ServiceGrant => ({
    source: `shop/${name}-db`,
    consumer: shop(name),
    ...(cluster !== undefined && { cluster }),
  });
  const services = { db: 'db', queue: 'db', empty: undefined };
  const ports = { db: [tcpPort, httpPort], queue: [{ ...tcpPort, port: 5671, name: 'amqp' }] };
  const calls = (account: string, service: string, grants: TestMesh['grants'] = {}): boolean =>
    outboundService(shop(service), scopeOf(account), needsOf({ services, ports, grants })) !== undefined;

  test('is to one service, even where the same account is behind another one, and also while it has no endpoints', () => {
    const grants = { db: [toDb('web')], empty: [toDb('web')] };
    assert.deepEqual([calls('web', 'db', grants), calls('web', 'queue', grants)], [true, false]);
    assert.deepEqual([calls('web', 'empty', grants), calls('cron', 'empty', grants)], [true, false]);
    assert.deepEqual([calls('cron', 'db', grants), calls('web', 'db')], [false, false]);
  });

  test('may be for the account of one cluster', () => {
    assert.deepEqual(
      ['east', 'west'].map(cluster => calls('web', 'db', { db: [toDb('web', cluster)] })),
      [true, false],
    );
  });

  test('is enforced by the proxy of the service, on the ports of this service', () => {
    const grants = { db: [toDb('web', 'west'), toDb('cron')] };
    const { rules } = inboundPolicyOf(scopeOf('db'), needsOf({ services, ports, grants }));
    assert.deepEqual(
      rules.map(({ source, principals, httpPorts, tcpPorts }) => [source, principals.length, httpPorts, tcpPorts]),
      [
        ['ServiceBinding shop/cron-db to shop/db', 4, [8080, 13_432], [8080, 13_432]],
        ['ServiceBinding shop/web-db to shop/db', 2, [8080, 13_432], [8080, 13_432]],
      ],
    );
  });
});
