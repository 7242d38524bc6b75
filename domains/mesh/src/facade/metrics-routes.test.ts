import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiError } from '@chandlery/api';
import { createHttpHost, silentLogger } from '@chandlery/http';
import { ManualClock } from '@chandlery/platform';
import { TestDirectory } from '../catalog/test-directory.ts';
import { createLoadAggregate } from '../server/load-and-status/load-aggregate.ts';
import { testIdentity } from '../server/test-server.ts';
import { addMetricsRoutes } from './metrics-routes.ts';
import type { TrafficMetrics } from './traffic-metrics.ts';

interface Answer {
  readonly kind: string;
  readonly items: readonly TrafficMetrics[];
}

/** The mesh `acme` of cluster `eu-1`: `shop/web` calls `catalog`, which its account of the same name backs. */
async function start() {
  const clock = new ManualClock(new Date('2030-01-01T00:00:10Z'));
  const loads = createLoadAggregate({ clock });
  const report = (serviceAccount: string, service: string, [successful, failed, dropped]: readonly number[]): void => {
    const counts = { issued: 0, successful: successful ?? 0, failed: failed ?? 0, inProgress: 0 };
    const localities = [{ region: '', zone: '', subZone: '', ...counts }];
    const load = { cluster: `acme/shop/${service}|80`, intervalMs: 1, localities, dropped: { overload: dropped ?? 0 } };
    const proxy = { nodeId: 'n', identity: { ...testIdentity, serviceAccount }, dialect: 'envoy', peer: '' } as const;
    assert.ok(loads.report(proxy, [load]));
  };
  report('web', 'catalog', [7, 2, 1]);
  report('admin', 'catalog', [1, 0, 0]);
  report('catalog', 'vault', [5, 0, 0]);
  clock.advance(30_000);
  const services = new TestDirectory();
  services.declare('shop/idle', 80);
  services.declare('other/catalog', 80);
  const host = createHttpHost({ logger: silentLogger, readiness: async () => [] });
  host.app.all('/clusters/:cluster/*', (_request, reply) => reply.code(418).send({}));
  addMetricsRoutes(host, {
    loads,
    tenantOf: async cluster => (cluster === 'eu-1' ? 'acme' : undefined),
    catalogOf: tenant => (tenant === 'acme' ? { services, accountsOf: ({ name }) => [`shop/${name}`] } : undefined),
    authorize: async (_request, { namespace, group, resource }) => {
      assert.deepEqual([group, resource], ['metrics.smi-spec.io', 'services']);
      if (namespace === 'bank') throw apiError('Forbidden', 'not you');
    },
  });
  const request = async <T>(url: string, headers = {}): Promise<{ status: number; body: T }> => {
    const answer = await host.app.inject({ url, headers });
    return { status: answer.statusCode, body: answer.json<T>() };
  };
  const ask = <T>(path: string, cluster = 'eu-1'): Promise<{ status: number; body: T }> =>
    request(`/clusters/${cluster}/apis/metrics.smi-spec.io/v1alpha1/namespaces/${path}`);
  return { ask, request, [Symbol.asyncDispose]: () => host.close({ graceMs: 0 }) };
}

const counts = ({ metrics }: TrafficMetrics): string => metrics.map(({ name, value }) => `${name} ${value}`).join(', ');

test('the calls of a service are those of all its callers, with what was not sent among the failures', async () => {
  await using registry = await start();
  const { status, body } = await registry.ask<TrafficMetrics>('shop/services/catalog');
  assert.deepEqual([status, counts(body)], [200, 'success_count 8, failure_count 3']);
  assert.deepEqual(
    { ...body, metrics: [] },
    {
      apiVersion: 'metrics.smi-spec.io/v1alpha1',
      kind: 'TrafficMetrics',
      metadata: { namespace: 'shop', name: 'catalog' },
      resource: { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'catalog' },
      edge: { direction: 'from', side: 'client', resource: null },
      timestamp: '2030-01-01T00:00:30.000Z',
      window: '30s',
      metrics: [],
    },
  );
});

test('a list has all services of a namespace, called or not', async () => {
  await using registry = await start();
  const { body } = await registry.ask<Answer>('shop/services');
  assert.equal(body.kind, 'TrafficMetricsList');
  assert.deepEqual(
    body.items.map(item => `${item.resource.name}: ${counts(item)}`),
    [
      'catalog: success_count 8, failure_count 3',
      'idle: success_count 0, failure_count 0',
      'vault: success_count 5, failure_count 0',
    ],
  );
});

const all = '/clusters/eu-1/apis/metrics.smi-spec.io/v1alpha1/services';

test('a list over all namespaces has all services', async () => {
  await using registry = await start();
  const { body } = await registry.request<Answer>(all);
  assert.deepEqual(
    body.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    ['other/catalog', 'shop/catalog', 'shop/idle', 'shop/vault'],
  );
});

test('a client that accepts a Table gets one', async () => {
  await using registry = await start();
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
  for (const [path, rows] of [
    ['', 4],
    ['/namespaces/shop/services/catalog', 1],
  ] as const) {
    const url = path === '' ? all : all.replace('/services', path);
    const { body } = await registry.request<{ kind: string; rows: { cells: unknown[] }[] }>(url, { accept });
    assert.deepEqual([body.kind, body.rows.length], ['Table', rows]);
    assert.deepEqual(body.rows.find(({ cells }) => cells[1] === '8')?.cells, ['catalog', '8', '3', '30s']);
  }
});

test('a watch is rejected: metrics are computed when they are read', async () => {
  await using registry = await start();
  assert.equal((await registry.request(`${all}?watch=true`)).status, 405);
});

test('edges show the callers of a service, and the services that its accounts call', async () => {
  await using registry = await start();
  const { body } = await registry.ask<Answer>('shop/services/catalog/edges');
  assert.deepEqual(
    body.items.map(
      item => `${item.edge.direction} ${item.edge.resource?.kind} ${item.edge.resource?.name}: ${counts(item)}`,
    ),
    [
      'from ServiceAccount admin: success_count 1, failure_count 0',
      'from ServiceAccount web: success_count 7, failure_count 3',
      'to Service vault: success_count 5, failure_count 0',
    ],
  );
});

test('an unauthorized caller gets nothing, and a missing service is not found', async () => {
  await using registry = await start();
  assert.equal((await registry.ask('bank/services')).status, 403);
  assert.equal((await registry.ask('shop/services/nothing')).status, 404);
  assert.equal((await registry.ask('shop/services/nothing/edges')).status, 404);
  assert.equal((await registry.ask('shop/services/catalog', 'us-1')).status, 404);
  assert.deepEqual(
    (await registry.ask<Answer>('shop/services', 'us-1')).body.items,
    [],
    'a cluster that is in no mesh',
  );
});
