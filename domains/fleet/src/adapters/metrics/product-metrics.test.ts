import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '@chandlery/platform';
import type { RowChange } from '@chandlery/registry';
import type { ConfiguredProduct, FleetRegistry, InstanceRow } from '../../registry/fleet-registry.ts';
import { ProductMetrics } from './product-metrics.ts';

type Listener = (change: RowChange<InstanceRow>) => void;

/** The instances of a registry, whose changes the test makes itself. */
function fakeInstances() {
  const listeners: Listener[] = [];
  const instances = {
    listen: (listener: Listener) => {
      listeners.push(listener);
      return () => undefined;
    },
  } as unknown as FleetRegistry['instances'];
  const remove = (id: string): void => {
    for (const listener of listeners) listener({ type: 'removed', row: { id } as InstanceRow });
  };
  return { instances, remove };
}

const withMetrics = (metrics: ConfiguredProduct['configuration']['metrics']) => ({
  configuration: { metrics } as ConfiguredProduct['configuration'],
});

const instance = { instanceId: 'i', namespace: 'dinosaur-i' };

test('samples of agents are served until the instance is removed', async () => {
  const { instances, remove } = fakeInstances();
  await using metrics = new ProductMetrics({ registry: { instances }, clock: systemClock });
  const product = withMetrics({ type: 'embedded' });
  metrics.recorderOf(product)?.record('i', [{ metric: { __name__: 'up' }, value: 1 }]);
  assert.equal((await metrics.sourceOf(product).query(instance)).length, 1);
  remove('i');
  assert.deepEqual(await metrics.sourceOf(product).query(instance), []);
});

test('a product that names a Prometheus is served from there, and records nothing here', async () => {
  const asked: string[] = [];
  await using server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] } }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { instances } = fakeInstances();
  await using metrics = new ProductMetrics({ registry: { instances }, clock: systemClock });
  const { port } = server.address() as AddressInfo;
  const product = withMetrics({ type: 'prometheus', url: `http://127.0.0.1:${port}` });
  assert.equal(metrics.recorderOf(product), undefined);
  assert.deepEqual(await metrics.sourceOf(product).query(instance), []);
  assert.match(asked.join(), /api\/v1\/query/);
  assert.equal(metrics.sourceOf(product), metrics.sourceOf(product));
});
