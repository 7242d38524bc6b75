import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GraphCall, GraphService, MeshGraph } from '@chandlery/mesh/kinds';
import { serviceMark, sharesOf } from './mesh.ts';
import { meshDrawing } from './mesh-drawing.ts';

const service = (name: string, more: Partial<GraphService> = {}): GraphService => ({
  namespace: 'shop',
  name,
  ports: [],
  clusters: [],
  serviceAccounts: [`shop/${name}`],
  endpoints: { healthy: 1 },
  ...more,
});

const call = (from: string, to: string, access: GraphCall['access']): GraphCall => ({
  from: `shop/${from}`,
  to: `shop/${to}`,
  access,
  policies: [],
  why: '',
});

const backends = [
  { service: { namespace: 'shop', name: 'api-v1' }, weight: 3 },
  { service: { namespace: 'shop', name: 'api-v2' }, weight: 1 },
];

const graph: MeshGraph = {
  isPermissive: false,
  services: [
    service('web'),
    service('api', { split: { source: 'shop/api', backends } }),
    service('api-v1', { serviceAccounts: ['shop/api'] }),
    service('api-v2', { serviceAccounts: ['shop/api'] }),
  ],
  calls: [
    call('web', 'api', 'some'),
    call('cron', 'web', 'all'),
    call('api', 'web', 'none'),
    call('api', 'api', 'all'),
  ],
  total: 4,
  isCut: false,
};

test('an account that is behind services calls as each of them; another one is a node of its own', () => {
  const { nodes, edges } = meshDrawing(graph, true);
  assert.deepEqual(
    nodes.map(({ id }) => id),
    ['shop/web', 'shop/api', 'shop/api-v1', 'shop/api-v2', 'account:shop/cron'],
  );
  const texts = edges.map(({ from, to, state, label }) => `${from} ${to} ${state ?? '-'} ${label ?? ''}`.trim());
  assert.ok(texts.includes('shop/web shop/api - some'));
  assert.ok(texts.includes('account:shop/cron shop/web ready'));
  assert.ok(texts.includes('shop/api-v1 shop/web failed denied') && texts.includes('shop/api shop/web failed denied'));
  assert.ok(texts.includes('shop/api shop/api-v1 - 75 %') && texts.includes('shop/api shop/api-v2 - 25 %'));
  assert.ok(!edges.some(({ from, to }) => from === to));
});

test('denied calls can be left out', () => {
  assert.ok(!meshDrawing(graph, false).edges.some(({ state }) => state === 'failed'));
});

test('a service is what its endpoints are', () => {
  const words = (endpoints: GraphService['endpoints'], more: Partial<GraphService> = {}): string =>
    serviceMark(service('x', { endpoints, ...more })).word;
  assert.equal(words({ healthy: 2, draining: 1 }), '2 of 3 healthy');
  assert.equal(words({ unhealthy: 1 }), 'None of 1 healthy');
  assert.equal(words({}), 'No endpoints');
  assert.equal(words({}, { split: { source: 'a/b', backends } }), 'Split');
});

test('weights that add up to nothing are no shares', () => {
  assert.deepEqual(
    sharesOf(backends.map(backend => ({ ...backend, weight: 0 }))).map(({ percent }) => percent),
    [0, 0],
  );
});
