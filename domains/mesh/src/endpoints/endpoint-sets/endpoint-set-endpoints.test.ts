import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { ManualClock } from '@chandlery/platform';
import { findCondition } from '@chandlery/runtime';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';
import { startEndpointSetController } from '../../controllers/endpoint-sets/start-endpoint-set-controller.ts';
import { type EndpointSet, endpointSets } from '../../kinds/endpoint-set.ts';
import { endpointsProviderContract, type ProviderUnderTest } from '../endpoints-provider-contract.ts';
import { CutLink, quickTuning } from '../test-cut-link.ts';
import { createEndpointSetEndpoints } from './endpoint-set-endpoints.ts';

let plane: TestPlane;
let clusters = 0;
before(async () => {
  plane = await startTestPlane({ kinds: [endpointSets.declaration] });
});
after(() => plane[Symbol.asyncDispose]());

const nextClient = (): Promise<Client> => plane.createCluster(`e${++clusters}`);
const refOf = (name: string) => ({ ...endpointSets.ref, namespace: 'default', name });

/** Fields with defaults may be left out. */
async function putSet(client: Client, name: string, spec: object): Promise<void> {
  const body = { apiVersion: endpointSets.apiVersion, kind: 'EndpointSet', metadata: { name }, spec };
  await client.patch(refOf(name), { type: 'apply', body, force: true }, { fieldManager: 'inventory' });
}

const stateOf = { healthy: 'Running', draining: 'Draining', unhealthy: 'Unhealthy' } as const;

async function setUp({ isCut = false } = {}): Promise<ProviderUnderTest> {
  const client = await nextClient();
  const link = new CutLink(client, isCut);
  const provider = createEndpointSetEndpoints({ client: link.client, tuning: quickTuning });
  return {
    provider,
    link,
    async put({ name }, endpoints) {
      if (endpoints.length === 0)
        return void (await client
          .delete(refOf(name))
          .catch((thrown: unknown) => assert.ok(isError(thrown, 'NotFound'))));
      const stated = endpoints.map(({ health = 'healthy', ...endpoint }) => ({
        portName: 'http',
        ...endpoint,
        state: stateOf[health],
      }));
      await putSet(client, name, { service: name, endpoints: stated });
    },
    async touch({ name }) {
      await client.patch(refOf(name), { type: 'merge', body: { metadata: { annotations: { touched: 'yes' } } } });
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

endpointsProviderContract('outside inventories', setUp, {
  hasHealth: true,
  hasZones: true,
  hasNamedPorts: true,
  isRemote: true,
});

const web = { namespace: 'default', name: 'web' };

async function start() {
  const client = await nextClient();
  const clock = new ManualClock();
  const due = new Set<() => void>();
  const timers = {
    after: (_ms: number, call: () => void) => {
      due.add(call);
      return () => void due.delete(call);
    },
  };
  const provider = createEndpointSetEndpoints({ client, cluster: 'onboarding', tuning: quickTuning, clock, timers });
  await provider.synced;
  const addresses = (): string =>
    provider
      .listEndpointsForService(web)
      .map(({ ip }) => ip)
      .join();
  return {
    client,
    clock,
    provider,
    shows: (wanted: string) => eventually(() => addresses() === wanted, { what: wanted || 'no endpoint' }),
    elapse: (ms: number) => {
      clock.advance(ms);
      for (const call of [...due]) call();
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

describe('Endpoints of an outside inventory', () => {
  it('have what the inventory says of them, from all sets of the service', async () => {
    await using test = await start();
    const endpoint = { ip: '10.0.0.1', port: 8080, portName: 'http', zone: '1', weight: 3, source: 'vm-1' };
    await putSet(test.client, 'first', {
      ...{ service: 'web', serviceAccount: 'shopkeeper', cloud: 'dc-1', region: 'eu' },
      endpoints: [endpoint],
    });
    await putSet(test.client, 'second', { service: 'web', endpoints: [{ ip: '10.0.0.2', port: 8080, region: 'us' }] });
    await test.shows('10.0.0.1,10.0.0.2');
    const place = { cluster: 'dc-1', region: 'eu', zone: '1' };
    const [first, second] = test.provider.listEndpointsForService(web);
    const who = { health: 'healthy', serviceAccount: 'shopkeeper', accountCluster: 'onboarding' };
    assert.deepEqual(first, { ...endpoint, ...place, ...who });
    assert.deepEqual([second?.cluster, second?.region], ['second', 'us']);
    await putSet(test.client, 'second', { service: 'other', endpoints: [{ ip: '10.0.0.2', port: 8080 }] });
    await test.shows('10.0.0.1');
  });

  it('are removed when the lease expires, and are back when it is renewed', async () => {
    await using test = await start();
    const put = () =>
      putSet(test.client, 'web', {
        service: 'web',
        endpoints: [{ ip: '10.0.0.1', port: 8080 }],
        lease: { renewTime: test.clock.now().toISOString(), durationSeconds: 60 },
      });
    await put();
    await test.shows('10.0.0.1');
    test.elapse(59_000);
    await test.shows('10.0.0.1');
    await put();
    await eventually(async () => {
      const { spec } = await test.client.get<EndpointSet>(refOf('web'));
      return spec.lease?.renewTime === test.clock.now().toISOString();
    });
    test.elapse(30_000);
    await test.shows('10.0.0.1');
    test.elapse(30_001);
    await test.shows('');
    await put();
    await test.shows('10.0.0.1');
  });

  it('are reported as possibly old when the inventory cannot be read', async () => {
    await using test = await start();
    const spec = { service: 'web', endpoints: [{ ip: '10.0.0.1', port: 8080 }] };
    await putSet(test.client, 'web', { ...spec, stale: { since: '2030-01-01T00:00:00Z', reason: 'the API is down' } });
    await eventually(() => test.provider.staleReason !== undefined);
    const reason = 'default/web: the API is down (since 2030-01-01T00:00:00Z)';
    assert.equal(test.provider.staleReason, reason);
    await putSet(test.client, 'web', spec);
    await eventually(() => test.provider.staleReason === undefined);
    await test.shows('10.0.0.1');
  });
});

describe('The status of an EndpointSet', () => {
  it('shows whether its lease holds', async () => {
    const client = await nextClient();
    await using _controller = startEndpointSetController({ client });
    const put = (renewTime: string) =>
      putSet(client, 'web', {
        service: 'web',
        endpoints: [{ ip: '10.0.0.1', port: 8080 }],
        lease: { renewTime, durationSeconds: 60 },
      });
    const becomes = (reason: string, endpoints: number) =>
      eventually(
        async () => {
          const set = await client.get<EndpointSet>(refOf('web'));
          return findCondition(set, 'Ready')?.reason === reason && set.status?.endpoints === endpoints;
        },
        { what: reason },
      );
    await put(new Date().toISOString());
    await becomes('Serving', 1);
    await put('2020-01-01T00:00:00Z');
    await becomes('Expired', 0);
  });
});
