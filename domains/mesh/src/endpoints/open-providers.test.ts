import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import type { EndpointsProvider, EndpointsProviderDeps, EndpointsProviderFactory } from '../ports/endpoints.ts';
import { noInstances } from '../ports/mesh-instances.ts';
import { createAnnouncedEndpoints } from './announced/announced-endpoints.ts';
import { openProviders } from './open-providers.ts';
import { createPolledEndpoints } from './polled-endpoints.ts';

const web = { namespace: 'shop', name: 'web' };
const services = { getService: () => undefined };
const deps = { mesh: 'acme', members: [], services, instances: noInstances, logger: silentLogger };
const endpointAt = (ip: string) => ({ ip, port: 8080, portName: '', health: 'healthy' as const, cluster: 'east' });

/** A factory of one provider with an endpoint of `shop/web`. */
const factoryOf = (id: string, ip: string): EndpointsProviderFactory => ({
  name: id,
  open: () => ({
    providers: [createPolledEndpoints({ id, read: () => Promise.resolve(new Map([['shop/web', [endpointAt(ip)]]])) })],
  }),
});
const announcing = (id: string): EndpointsProviderFactory => ({
  name: id,
  open: () => {
    const announced = createAnnouncedEndpoints({ id, mayServe: () => true });
    return { providers: [announced], announced };
  },
});

test('providers are in the order of their factories, and each factory can read the endpoints of all', async () => {
  const asked: EndpointsProviderDeps[] = [];
  const curious: EndpointsProviderFactory = {
    name: 'curious',
    open: given => {
      asked.push(given);
      return { providers: [] };
    },
  };
  await using opened = await openProviders([factoryOf('b', '10.0.0.2'), curious, factoryOf('a', '10.0.0.1')], deps);
  await Promise.all(opened.providers.map(({ synced }) => synced));
  assert.deepEqual(
    opened.providers.map(({ id }) => id),
    ['b', 'a'],
  );
  assert.deepEqual([opened.announced, opened.machines], [undefined, []]);
  assert.equal(asked[0]?.mesh, 'acme');
  assert.deepEqual(
    asked[0].endpointsOf(web).map(({ ip }) => ip),
    ['10.0.0.2', '10.0.0.1'],
  );
});

const misfits = [
  { why: 'two providers of one id', factories: [factoryOf('a', '10.0.0.1'), factoryOf('a', '10.0.0.2')], says: /"a"/ },
  { why: 'two that accept announcements', factories: [announcing('a'), announcing('b')], says: /announce/ },
];
for (const { why, factories, says } of misfits) {
  test(`${why} do not go together`, async () => {
    const refused = (error: unknown): boolean => isError(error, 'InvalidOptions') && says.test(error.message);
    await assert.rejects(openProviders(factories, deps), refused);
  });
}

test('a factory that fails leaves no provider of the others open', async () => {
  const opened: EndpointsProvider[] = [];
  const noting: EndpointsProviderFactory = {
    name: 'noting',
    open: given => {
      const own = factoryOf('a', '10.0.0.1').open(given);
      opened.push(...own.providers);
      return own;
    },
  };
  const failing: EndpointsProviderFactory = {
    name: 'failing',
    open: () => {
      throw new Error('no credentials');
    },
  };
  await assert.rejects(openProviders([noting, failing], deps), /no credentials/);
  await assert.rejects(opened[0]?.synced ?? Promise.resolve(), error => isError(error, 'Stopped'));
});
