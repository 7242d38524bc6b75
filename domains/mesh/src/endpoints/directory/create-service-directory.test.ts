import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { apply } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import type { ServiceDirectory } from '../../ports/endpoints.ts';
import { createServiceDirectory } from './create-service-directory.ts';

type Cluster = 'east' | 'west';
const web = { namespace: 'shop', name: 'web' };
const servicesRef = { group: '', version: 'v1', plural: 'services' };
const namespacesRef = { group: '', version: 'v1', plural: 'namespaces' };

interface TestDirectory extends AsyncDisposable {
  readonly directory: ServiceDirectory;
  readonly warnings: readonly string[];
  /** Declares the service `web` on a cluster, and waits for the notification. */
  put(cluster: Cluster, ports: readonly object[], annotations?: Readonly<Record<string, string>>): Promise<void>;
  remove(cluster: Cluster): Promise<void>;
}

/** A directory of two logical clusters. */
async function start(): Promise<TestDirectory> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ clusters: ['east', 'west'] }));
  const clients: Record<Cluster, Client> = { east: plane.connect('east'), west: plane.connect('west') };
  const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  for (const client of Object.values(clients)) await client.create(namespacesRef, shop);
  const warnings: string[] = [];
  const clusters = Object.entries(clients).map(([name, client]) => ({ name, client }));
  const logger = { warn: (message: string) => void warnings.push(message) };
  const directory = stack.use(createServiceDirectory({ clusters, logger }));
  await directory.synced;
  const told: string[] = [];
  directory.subscribe(changed => told.push(...changed));
  const notified = async (): Promise<void> => {
    await eventually(() => told.length > 0, { what: 'a notification' });
    assert.deepEqual(told.splice(0), ['shop/web']);
  };
  const owned = stack.move();
  return {
    directory,
    warnings,
    put: async (cluster, ports, annotations = {}) => {
      const object = { apiVersion: 'v1', kind: 'Service', metadata: { ...web, annotations }, spec: { ports } };
      await apply(clients[cluster], 'test', [{ plural: 'services', object }]);
      await notified();
    },
    remove: async cluster => {
      await clients[cluster].delete({ ...servicesRef, ...web });
      await notified();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test('services of all clusters are one, the first cluster decides, and contradictions are reported', async () => {
  await using world = await start();
  const { directory } = world;
  await world.put('west', [
    { name: 'http', port: 80 },
    { name: 'db', port: 5432 },
  ]);
  await world.put('east', [{ name: 'grpc-api', port: 80 }]);
  const { clusters, ports } = directory.getService(web) ?? {};
  assert.deepEqual([clusters, ports], [['east', 'west'], [{ name: 'grpc-api', port: 80, protocol: 'http' }]]);
  assert.match(world.warnings.join(), /shop\/web has other ports on "west" than on "east"/);
  await world.remove('east');
  assert.deepEqual(directory.getService(web)?.ports, [
    { name: 'http', port: 80, protocol: 'http' },
    { name: 'db', port: 5432, protocol: 'tcp' },
  ]);
  await world.remove('west');
  assert.equal(directory.getService(web), undefined);
  assert.equal(
    [...directory.listServices()].some(({ service: { namespace } }) => namespace === 'shop'),
    false,
  );
});

test('an annotation of a service configures the health check of its endpoints', async () => {
  await using world = await start();
  const put = async (text: string): Promise<unknown> => {
    await world.put('east', [{ name: 'http', port: 80 }], { 'mesh.chandlery.io/health-check': text });
    return world.directory.getService(web)?.healthCheck;
  };
  assert.deepEqual(await put('/healthz'), { path: '/healthz' });
  assert.equal(await put('tcp'), 'tcp');
  assert.equal(await put('sometimes'), undefined);
});

test('a directory that is disposed of before it is synced rejects', async () => {
  const client = { list: () => new Promise<never>(() => undefined), watch: async function* () {} } as unknown as Client;
  const directory = createServiceDirectory({ clusters: [{ name: 'east', client }] });
  assert.equal(directory.isSynced, false);
  const rejection = assert.rejects(directory.synced, error => isError(error, 'Stopped'));
  void directory[Symbol.asyncDispose]();
  await rejection;
});
