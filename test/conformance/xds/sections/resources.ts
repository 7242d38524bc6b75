import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { declareService, offer, setEndpoints, setMachine, setSplit } from '../support/declare-service.ts';
import { type MeshLandscape, portName } from '../support/mesh-landscape.ts';
import { at, ips } from '../support/samples.ts';
import { addressesIn, type TestProxy, weightsOf } from '../support/test-proxy.ts';

interface DecodedRoutes {
  readonly virtual_hosts: readonly {
    readonly routes?: readonly { readonly direct_response?: { readonly status: number } }[];
  }[];
}

/** Resources of services. */
export function describeResources(mesh: () => MeshLandscape): void {
  const endpoints = async (
    proxy: TestProxy,
    isWanted: (addresses: readonly string[]) => boolean,
  ): Promise<string[]> => {
    const response = await proxy.until('endpoints', each => isWanted(addressesIn(proxy, each)));
    return addressesIn(proxy, response);
  };

  describe('Resources', () => {
    test('22. an address of two providers is sent once', async () => {
      const name = await offer(mesh(), { name: 'books-22', from: ['web-22'], endpoints: ips(1) });
      await using proxy = await mesh().proxy({ account: 'web-22', stream: { autoAck: true } });
      proxy.ask('endpoints', [name]);
      assert.deepEqual(await endpoints(proxy, () => true), at(1));
      await setMachine(mesh().client, 'books-22', ['10.0.0.1', '10.0.0.2']);
      assert.deepEqual((await endpoints(proxy, addresses => addresses.length > 1)).sort(), at(1, 2));
      await setEndpoints(mesh().client, { name: 'books-22', endpoints: [] });
      await setMachine(mesh().client, 'books-22', ['10.0.0.1']);
      assert.deepEqual(await endpoints(proxy, addresses => addresses.length === 1), at(1), 'one of two is left');
    });

    test('23. a service without endpoints has an empty list, for Envoy and for gRPC', async () => {
      const name = await offer(mesh(), { name: 'books-23', from: ['web-23'], endpoints: ips(1) });
      await using envoy = await mesh().proxy({ account: 'web-23', stream: { autoAck: true } });
      await using grpc = await mesh().proxy({
        account: 'web-23',
        dialect: 'grpc',
        nodeId: 'g',
        stream: { autoAck: true },
      });
      for (const proxy of [envoy, grpc]) {
        proxy.ask('endpoints', [name]);
        assert.deepEqual(await endpoints(proxy, () => true), at(1));
      }
      await setEndpoints(mesh().client, { name: 'books-23', endpoints: [] });
      for (const proxy of [envoy, grpc]) assert.deepEqual(await endpoints(proxy, each => each.length === 0), []);
      await using late = await mesh().proxy({ account: 'web-23', nodeId: 'late-23' });
      for (const type of ['cluster', 'endpoints'] as const) late.ask(type, [name]);
      assert.equal((await late.next('cluster')).resources[0]?.name, name, 'its cluster is there');
      assert.deepEqual(await endpoints(late, () => true), []);
    });

    test('24a. a split divides the endpoints for clients without routes, and again when it changes', async () => {
      const from = ['web-24a'];
      const root = await offer(mesh(), { name: 'root-24a', from, endpoints: ips(1) });
      await offer(mesh(), { name: 'one-24a', from, endpoints: ips(2, 3, 4) });
      await offer(mesh(), { name: 'two-24a', from, endpoints: ips(5) });
      await using proxy = await mesh().proxy({ account: 'web-24a', stream: { only: 'endpoints', autoAck: true } });
      proxy.ask('endpoints', [root]);
      assert.deepEqual(await endpoints(proxy, () => true), at(1));
      for (const [one, two] of [
        [4, 1],
        [1, 9],
      ] as const) {
        await setSplit(mesh().client, 'root-24a', { 'one-24a': one, 'two-24a': two });
        const response = await proxy.until('endpoints', ({ resources }) => {
          const weights = weightsOf(proxy.decode(resources[0]));
          return one * (weights['10.0.0.5:8080'] ?? 0) === two * (weights[at(2, 3, 4).join()] ?? Number.NaN);
        });
        assert.deepEqual(addressesIn(proxy, response).sort(), at(2, 3, 4, 5));
      }
    });

    test('25. a split whose weights are all 0 is unavailable: 503 from Envoy, no route for gRPC', async () => {
      const from = ['web-25'];
      const root = portName('root-25');
      for (const name of ['one-25', 'two-25']) await offer(mesh(), { name, from, endpoints: ips(1) });
      await declareService(mesh().client, { name: 'root-25', endpoints: ips(2) });
      await setSplit(mesh().client, 'root-25', { 'one-25': 1, 'two-25': 0 });
      for (const dialect of ['envoy', 'grpc'] as const) {
        await using proxy = await mesh().proxy({
          account: 'web-25',
          dialect,
          nodeId: dialect,
          stream: { autoAck: true },
        });
        const routes = async (statuses: readonly (number | undefined)[]): Promise<void> => {
          await proxy.until('route', ({ resources }) => {
            const [host] = proxy.decode<DecodedRoutes>(resources[0]).virtual_hosts;
            const found = (host?.routes ?? []).map(({ direct_response }) => direct_response?.status);
            return JSON.stringify(found) === JSON.stringify(statuses);
          });
        };
        proxy.ask('route', [root]);
        await setSplit(mesh().client, 'root-25', { 'one-25': 1, 'two-25': 0 });
        await routes([undefined]);
        await setSplit(mesh().client, 'root-25', { 'one-25': 0, 'two-25': 0 });
        await routes(dialect === 'envoy' ? [503] : []);
      }
    });
  });
}
