import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { drainCluster } from '../actions/drain-cluster.ts';
import { createLifecycleActions } from '../actions/lifecycle-actions.ts';
import { forceStatus, instanceOf, report } from '../actions/test-instances.ts';
import { createTestResolver } from '../adapters/dns/test-resolver.ts';
import { fleetNamespace, instanceStates } from '../kinds/index.ts';
import type { InstanceRow } from '../registry/fleet-registry.ts';
import { startTestFleet, type TestFleet } from '../test-fleet.ts';
import {
  reportVersions,
  startTestAgent,
  startTestWorkers,
  startTestWorld,
  type TestWorld,
  worldSections,
  zoneDomain,
} from './test-workers.ts';

let fleet: TestFleet;
let world: TestWorld;
before(async () => {
  [fleet, world] = await Promise.all([startTestFleet(), startTestWorld()]);
  await fleet.configure(worldSections);
  await reportVersions(fleet);
});
after(async () => {
  await fleet[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const registry = () => fleet.deps.registry;
const untilState = (id: string, state: string) =>
  registry().instances.until(id, row => row?.status.state === state, AbortSignal.timeout(10_000));
const untilGone = (id: string) => registry().instances.until(id, row => row === undefined, AbortSignal.timeout(10_000));
const remove = (id: string) => createLifecycleActions(fleet.deps).adminDelete(fleet.product(), id);

async function traces(id: string) {
  return {
    secret: await registry().readSecret(fleetNamespace, `instance-${id}`),
    client: await world.clients.get(`dinosaur-${id}`),
    units:
      registry().ledger.used('quota/dinosaurs/org/13640203') + registry().ledger.used('cluster/dinosaurs/frankfurt-1'),
  };
}

test('an instance becomes ready and goes without a trace', async () => {
  await using _ = startTestWorkers(fleet, world);
  using _agent = startTestAgent(fleet);
  const { id } = await fleet.create('rex');
  const row = await untilState(id, 'ready');
  assert.ok(row);
  const { status } = row;
  assert.equal(status.host, `rex-${id}.dinosaurs.example.com`);
  assert.deepEqual(
    [status.namespace, status.desired, status.actual],
    [`dinosaur-${id}`, { operator: 'op.v1.0.0-0', product: '2.0.0' }, { operator: 'op.v1.0.0-0', product: '2.0.0' }],
  );
  assert.deepEqual(
    [status.ssoClientId, status.secretName, status.routesCreated],
    [`dinosaur-${id}`, `instance-${id}`, true],
  );
  const { secret, client, units } = await traces(id);
  assert.deepEqual(Object.keys(secret ?? {}).toSorted(), ['ca.crt', 'client-secret', 'tls.crt', 'tls.key']);
  assert.deepEqual([client?.instanceId, units], [id, 2]);
  await remove(id);
  await untilGone(id);
  assert.deepEqual(await traces(id), { secret: undefined, client: undefined, units: 0 });
  const record = registry().records.get(id);
  assert.deepEqual([record?.spec.name, record?.spec.owner], ['rex', 'zoe']);
  assert.equal((record?.spec.instance as { status: { holds?: unknown } }).status.holds, undefined);
});

for (const state of instanceStates.filter(each => !['failed', 'suspending', 'suspended', 'resuming'].includes(each)))
  test(`an instance whose workers are stopped in state ${state} ends as it would have without`, async () => {
    const { id } = await fleet.create(`stop-${state}`);
    const stopIn = async (): Promise<void> => {
      await using _ = startTestWorkers(fleet, world);
      using _agent = startTestAgent(fleet);
      if (state === 'deprovision' || state === 'deleting') await untilState(id, 'ready').then(() => remove(id));
      const reached = [state, ...instanceStates.slice(instanceStates.indexOf(state) + 1)] as (string | undefined)[];
      await registry().instances.until(
        id,
        row => row === undefined || reached.includes(row.status.state),
        AbortSignal.timeout(10_000),
      );
    };
    await stopIn();
    await using _ = startTestWorkers(fleet, world);
    using _agent = startTestAgent(fleet);
    if (state !== 'deprovision' && state !== 'deleting') {
      await untilState(id, 'ready');
      await remove(id);
    }
    await untilGone(id);
    assert.deepEqual(await traces(id), { secret: undefined, client: undefined, units: 0 });
  });

test('an instance that no agent ever saw is deleted without one', async () => {
  const { id } = await fleet.create('unseen');
  await remove(id);
  await using _ = startTestWorkers(fleet, world);
  await untilGone(id);
  assert.equal((await traces(id)).units, 0);
});

test('an identity provider that rejects for good fails the instance at once; one that is down is asked again', async () => {
  const { peerRejected, peerUnavailable } = await import('../port-errors.ts');
  let failures = 0;
  const sso = {
    ...world.adapters.sso,
    removeClient: () => Promise.resolve(),
    ensureClient: ({ instanceId, clientId }: { instanceId: string; clientId: string }) => {
      if (registry().instances.get(instanceId)?.spec.name === 'bad')
        return Promise.reject(peerRejected('no such realm', 'create it'));
      return ++failures < 3
        ? Promise.reject(peerUnavailable('down'))
        : Promise.resolve({ clientId, clientSecret: 's' });
    },
  };
  await using _ = startTestWorkers(fleet, { adapters: { ...world.adapters, sso } });
  using _agent = startTestAgent(fleet);
  const [bad, good] = await Promise.all([fleet.create('bad'), fleet.create('good')]);
  const failed = await untilState(bad.id, 'failed');
  assert.match(failed?.status.failedReason ?? '', /no such realm/);
  await untilState(good.id, 'ready');
  assert.equal(failures, 3);
  await Promise.all([bad, good].map(({ id }) => remove(id)));
  await Promise.all([bad, good].map(({ id }) => untilGone(id)));
});

test('a full cluster gives an instance back, and it waits for another one', async () => {
  await using _ = startTestWorkers(fleet, world);
  let isFull = true;
  using _agent = startTestAgent(fleet, {
    behave: ({ status }) =>
      status.state === 'deprovision'
        ? report('False', 'Deleted')
        : status.state !== 'provisioning'
          ? undefined
          : isFull
            ? report('False', 'Rejected', { message: 'Cluster has insufficient resources' })
            : report('True', '', { routes: [{ name: 'x', prefix: '', router: 'frankfurt-1.example.com' }] }),
  });
  const { id } = await fleet.create('moved');
  await registry().instances.until(id, row => row?.status.excludedClusters !== undefined, AbortSignal.timeout(10_000));
  const first = instanceOf(fleet.deps, id).status;
  isFull = false;
  const ready = await untilState(id, 'ready');
  assert.ok(ready?.status.placementId !== undefined && ready.status.placementId !== first.placementId);
  await remove(id);
  await untilGone(id);
});

test('an instance that was deleted with kubectl goes', async () => {
  await using _ = startTestWorkers(fleet, world);
  using _agent = startTestAgent(fleet);
  const { id } = await fleet.create('kubectl');
  await untilState(id, 'ready');
  const { fleetKinds } = await import('../kinds/index.ts');
  await fleet.client.delete({ ...fleetKinds.instances.ref, namespace: fleetNamespace, name: id });
  await untilGone(id);
});

test('an instance on a cluster that was given up is deleted without its agent', async () => {
  await using _ = startTestWorkers(fleet, world);
  const start = async (name: string): Promise<string> => {
    using _agent = startTestAgent(fleet);
    const { id } = await fleet.create(name);
    await untilState(id, 'ready');
    return id;
  };
  const [before, later] = [await start('lost-before'), await start('lost-later')];
  const cluster = { product: 'dinosaurs', clusterId: 'frankfurt-1' };
  await remove(before);
  await untilState(before, 'deprovision');
  await drainCluster(fleet.deps, { ...cluster, draining: true, lost: true });
  await untilGone(before);
  await remove(later);
  await untilGone(later);
  await drainCluster(fleet.deps, { ...cluster, draining: false, lost: false });
  for (const id of [before, later]) {
    const { secret, client } = await traces(id);
    assert.deepEqual([secret, client], [undefined, undefined]);
  }
});

test('deadlines fail what does not get on, and leave deletions alone', async () => {
  const old = '2020-01-01T00:00:00Z';
  const [stuck, going] = await Promise.all([fleet.create('stuck'), fleet.create('going')]);
  await forceStatus(fleet, stuck.id, { state: 'provisioning', stateSince: old, host: 'stuck.example.com' });
  await forceStatus(fleet, going.id, { state: 'deprovision', stateSince: old, host: 'going.example.com' });
  await using _ = startTestWorkers(fleet, world);
  const failed = await untilState(stuck.id, 'failed');
  assert.match(failed?.status.failedReason ?? '', /did not become ready within 3600 seconds/);
  await eventually(() => instanceOf(fleet.deps, going.id).status.conditions?.some(({ type }) => type === 'Overdue'));
  assert.equal(instanceOf(fleet.deps, going.id).status.state, 'deprovision');
});

test('an instance that is deleted while its client is being made leaves no client', async () => {
  const { sso } = world.adapters;
  assert.ok(sso);
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const slow = {
    removeClient: (clientId: string) => sso.removeClient(clientId),
    ensureClient: async (request: Parameters<typeof sso.ensureClient>[0]) => {
      asked.resolve();
      await released.promise;
      return sso.ensureClient(request);
    },
  };
  const { id } = await fleet.create('hasty');
  await using _ = startTestWorkers(fleet, { adapters: { ...world.adapters, sso: slow } });
  await asked.promise;
  await remove(id);
  await untilState(id, 'deprovision');
  released.resolve();
  await untilGone(id);
  const { secret, client } = await traces(id);
  assert.deepEqual([secret, client], [undefined, undefined]);
});

test('an instance whose client was made by a process that ended before it wrote so leaves no client', async () => {
  const { sso } = world.adapters;
  assert.ok(sso);
  const made = Promise.withResolvers<void>();
  const ending = {
    removeClient: (clientId: string) => sso.removeClient(clientId),
    ensureClient: async (request: Parameters<typeof sso.ensureClient>[0]): Promise<never> => {
      await sso.ensureClient(request);
      made.resolve();
      throw new Error('the process ends');
    },
  };
  const { id } = await fleet.create('ended');
  const endAfterClient = async (): Promise<void> => {
    await using _ = startTestWorkers(fleet, { adapters: { ...world.adapters, sso: ending } });
    await made.promise;
  };
  await endAfterClient();
  await remove(id);
  await using _ = startTestWorkers(fleet, world);
  await untilGone(id);
  const { secret, client } = await traces(id);
  assert.deepEqual([secret, client], [undefined, undefined]);
});

test('an instance that left a full cluster after its DNS records were made leaves none when it is deleted', async () => {
  const full = report('False', 'Rejected', { message: 'Cluster has insufficient resources' });
  const resolve = createTestResolver(world.dns.port);
  await using _ = startTestWorkers(fleet, world);
  using _agent = startTestAgent(fleet, {
    behave: ({ status, spec }, clusterDns) => {
      if (spec.name !== 'returned' || status.formerRoutes !== undefined)
        return status.state === 'deprovision' ? report('False', 'Deleted') : undefined;
      const routes = [{ name: 'main', prefix: '', router: `router.${clusterDns}` }];
      return status.routesCreated ? full : report('False', 'Installing', { routes });
    },
  });
  const { id } = await fleet.create('returned');
  const host = `returned-${id}.${zoneDomain}`;
  await registry().instances.until(id, row => row?.status.formerRoutes !== undefined, AbortSignal.timeout(10_000));
  assert.equal((await resolve(host, 'CNAME')).length, 1);
  await remove(id);
  await untilGone(id);
  assert.deepEqual(await resolve(host, 'CNAME'), []);
});

test('without a DNS zone the routes count as made in the commit that shows the instance to the agent', async () => {
  await using own = await startTestFleet();
  await own.configure({ ...worldSections, dns: { type: 'none' } });
  await reportVersions(own);
  const seen: (boolean | undefined)[] = [];
  own.deps.registry.instances.listen(({ row }) => {
    if (row.status.state === 'provisioning') seen.push(row.status.routesCreated);
  });
  await using _ = startTestWorkers(own, { adapters: { ...world.adapters, dns: undefined } });
  using _agent = startTestAgent(own);
  const { id } = await own.create('zoneless');
  await own.deps.registry.instances.until(id, row => row?.status.state === 'ready', AbortSignal.timeout(10_000));
  assert.deepEqual(seen, [true]);
});

test('an instance with records in a zone that is no longer configured goes, and says which records stay', async () => {
  await using own = await startTestFleet();
  await own.configure(worldSections);
  await reportVersions(own);
  using _agent = startTestAgent(own);
  const until = (id: string, isDone: (row?: InstanceRow) => boolean) =>
    own.deps.registry.instances.until(id, isDone, AbortSignal.timeout(10_000));
  const { id } = await own.create('moved');
  {
    await using _ = startTestWorkers(own, world);
    await until(id, row => row?.status.state === 'ready');
  }
  await own.configure({ ...worldSections, dns: { type: 'embedded', domain: 'other.example.com' } });
  await using workers = startTestWorkers(own, {
    adapters: { ...world.adapters, dns: world.dns.zone('other.example.com') },
  });
  await createLifecycleActions(own.deps).adminDelete(own.product(), id);
  await until(id, row => row === undefined);
  const [notice] = workers.notices.filter(({ reason }) => reason === 'DnsRecordsStay');
  assert.match(notice?.message ?? '', new RegExp(`moved-${id}.dinosaurs.example.com`));
});
