import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { defaultEndpointsProviders } from '@chandlery/mesh';
import { endpointsProviderContract, type ProviderUnderTest } from '@chandlery/mesh/endpoints-provider-contract';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { eventually, tempFolder } from '@chandlery/testing';
import { createFileEndpoints, fileEndpoints } from './file-endpoints.ts';

const intervalMs = 20;
const stateOf = { healthy: 'up', draining: 'draining', unhealthy: 'down' } as const;

async function setUp({ isCut = false } = {}): Promise<ProviderUnderTest> {
  const folder = await tempFolder();
  const path = { shown: folder.join('inventory.json'), hidden: folder.join('hidden.json') };
  const inventory: Record<string, object> = {};
  let current = isCut ? path.hidden : path.shown;
  // Written atomically: a partial file cannot be read.
  const write = (spaces = 0): void => {
    writeFileSync(folder.join('next'), JSON.stringify(inventory, undefined, spaces));
    renameSync(folder.join('next'), current);
  };
  const move = (to: string): void => {
    renameSync(current, to);
    current = to;
  };
  write();
  const provider = createFileEndpoints(path.shown, { intervalMs });
  return {
    provider,
    put: async ({ namespace, name }, endpoints) => {
      const hosts = endpoints.map(({ health = 'healthy', ...host }) => ({
        portName: 'http',
        ...host,
        state: stateOf[health],
      }));
      if (hosts.length === 0) delete inventory[`${namespace}/${name}`];
      else inventory[`${namespace}/${name}`] = { cluster: 'east', serviceAccount: name, hosts };
      write();
    },
    touch: async () => write(2),
    link: { cut: () => move(path.hidden), heal: () => move(path.shown) },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

endpointsProviderContract('an inventory file', setUp, {
  hasHealth: true,
  hasZones: true,
  hasNamedPorts: true,
  isRemote: true,
});

test('an inventory with a host name is rejected, and the provider is stale', async () => {
  await using world = await setUp();
  const books = { namespace: 'shop', name: 'books' };
  const count = (): number => world.provider.listEndpointsForService(books).length;
  await world.put(books, [{ ip: '10.0.0.7', port: 8080 }]);
  await eventually(() => count() === 1, { what: 'the first host' });
  await world.put(books, [
    { ip: '10.0.0.8', port: 8080 },
    { ip: 'books.example.com', port: 8080 },
  ]);
  await eventually(() => /books\.example\.com/.test(world.provider.staleReason ?? ''), { what: 'the reason' });
  assert.equal(count(), 1);
});

test('a landscape finds services by a registered provider', async () => {
  await using folder = await tempFolder();
  const inventory = (ip: string): string =>
    JSON.stringify({ 'shop/books': { cluster: 'onboarding', serviceAccount: 'books', hosts: [{ ip, port: 8080 }] } });
  await writeFile(folder.join('onboarding.json'), inventory('10.0.0.7'));
  const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`, '--local-clusters=off'];
  const endpointsProviders = [...defaultEndpointsProviders, fileEndpoints(folder.path, { intervalMs })];
  await using landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, {
    logger: silentLogger,
    endpointsProviders,
  });
  await using client = createClient(loadKubeconfig(landscape.kubeconfigPath));
  const create = (plural: string, object: KubeObject, namespace?: string): Promise<unknown> =>
    client.create({ group: '', version: 'v1', plural, ...(namespace && { namespace }) }, object);
  await create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const spec = { ports: [{ port: 80 }] };
  await create('services', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'books' }, spec }, 'shop');
  const foundAt = async (): Promise<string> => {
    const path = '/mesh/v1/meshes/onboarding/services/shop/books/endpoints';
    const answer = await client.raw(path, { isFromRoot: true });
    const { endpoints } = (await answer.json()) as { endpoints: { ip: string; port: number }[] };
    return endpoints.map(({ ip, port }) => `${ip}:${port}`).join();
  };
  await eventually(async () => (await foundAt()) === '10.0.0.7:8080', { what: 'the host of the inventory' });
  await writeFile(folder.join('onboarding.json'), inventory('10.0.0.8'));
  await eventually(async () => (await foundAt()) === '10.0.0.8:8080', { what: 'the new host' });
});
