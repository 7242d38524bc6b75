import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import { accessRequests, clusterRequests } from '@chandlery/clusters/kinds';
import { type RetainedService, retainedServices, serviceProviders } from '@chandlery/providers/kinds';
import { findCondition, isDeleting } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { startFooFixture } from '../test-foo-fixture.ts';
import { type Bank, fooConfigs, fooProvider } from '../test-provider.ts';

const at = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default', name: 'shared' };

const isRemoved = (read: Promise<unknown>): Promise<boolean> =>
  read.then(
    () => false,
    error => isError(error, 'NotFound'),
  );

function sharingProvider(bank: Bank): ReturnType<typeof fooProvider> {
  const { clusters, ...rest } = fooProvider(bank);
  const { permissions = [] } = clusters?.workload ?? {};
  return {
    ...rest,
    clusters: { ...clusters, workload: { per: 'provider', permissions } },
    shared: ({ config }) => [
      {
        cluster: 'workload',
        object: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: at.name, namespace: at.namespace },
          data: { greeting: config.spec.greeting ?? 'hello' },
        },
      },
    ],
  };
}

it('What a provider has once for all objects is there, put right, and follows the configuration', async () => {
  await using fixture = await startFooFixture({ define: sharingProvider });
  const { workload, platform } = fixture.landscape;
  const isGreeting = (text: string) => async (): Promise<boolean> =>
    ((await workload.get(at))['data'] as { greeting: string }).greeting === text;
  await eventually(isGreeting('hello'));
  await workload.delete(at);
  await eventually(isGreeting('hello'));
  await platform.patch({ ...fooConfigs.ref, name: 'foo' }, { type: 'merge', body: { spec: { greeting: 'ahoy' } } });
  await eventually(isGreeting('ahoy'));
  await fixture.create('a');
  await fixture.ready('a');
  await fixture.remove('a');
  await fixture.gone('a');
  assert.ok(await isGreeting('ahoy')());
});

it('Services are not ready while what they share is not, and are again as soon as it is', async () => {
  const state = { isReady: true };
  await using fixture = await startFooFixture({
    define: bank => {
      const provider = sharingProvider(bank);
      const isReady = () => (state.isReady ? { isReady: true } : { isReady: false, message: '0 of 1 replicas' });
      const shared: typeof provider.shared = async context =>
        ((await provider.shared?.(context)) ?? []).map(desired => ({ ...desired, isReady }));
      return { ...provider, shared };
    },
  });
  const touch = (team: string): Promise<unknown> =>
    fixture.landscape.workload.patch(at, { type: 'merge', body: { metadata: { labels: { team } } } });
  await fixture.create('a');
  await fixture.ready('a');
  state.isReady = false;
  await touch('red');
  const message = await fixture.says('a', 'Ready', 'SharedServiceNotReady');
  assert.match(message, /ConfigMap "default\/shared" on the workload cluster is not ready: 0 of 1 replicas/);
  state.isReady = true;
  await touch('blue');
  await fixture.ready('a');
});

it('What a provider has once for all objects goes with its configuration, after the last object', async () => {
  await using fixture = await startFooFixture({ define: sharingProvider });
  const { workload, platform } = fixture.landscape;
  await fixture.create('a');
  await fixture.ready('a');
  await platform.delete(config);
  await eventually(async () => {
    const live = await platform.get<KubeObject>(config);
    return findCondition(live, 'Ready')?.reason === 'InUse';
  });
  await workload.get(at);
  await fixture.remove('a');
  await fixture.gone('a');
  await eventually(() => isRemoved(platform.get(config)));
  assert.ok(await isRemoved(workload.get(at)));
});

it('Access is not asked for again while it is being given back: a shared provider once never ended', async () => {
  await using fixture = await startFooFixture({ define: sharingProvider });
  const { platform } = fixture.landscape;
  await fixture.create('a');
  await fixture.ready('a');
  await fixture.remove('a');
  await fixture.gone('a');
  const place = { namespace: 'openmcp-system', name: 'foo--wl' };
  const requests = [clusterRequests, accessRequests].map(({ ref }) => ({ ...ref, ...place }));
  const hold = (ref: (typeof requests)[number], finalizers: string[]) =>
    platform.patch(ref, { type: 'merge', body: { metadata: { finalizers } } });
  const [ofCluster, ofAccess] = requests as [(typeof requests)[0], (typeof requests)[0]];
  const before = await Promise.all(requests.map(ref => hold(ref, ['example.org/hold'])));
  await platform.delete({ ...fooConfigs.ref, name: 'foo' });
  await eventually(async () => isDeleting(await platform.get(ofAccess)));
  await hold(ofAccess, []);
  await eventually(async () => isDeleting(await platform.get(ofCluster)));
  const { resourceVersion = '' } = before[1]?.metadata ?? {};
  await hold(ofCluster, []);
  await eventually(() => isRemoved(platform.get({ ...fooConfigs.ref, name: 'foo' })));
  const signal = AbortSignal.timeout(300);
  const events = await Array.fromAsync(
    platform.watch({ ...accessRequests.ref, namespace: place.namespace }, { resourceVersion, signal }),
  );
  assert.deepEqual(
    events.filter(({ type, object }) => type === 'ADDED' && object.metadata.name === place.name),
    [],
  );
});

const config = { ...fooConfigs.ref, name: 'foo' };
const wl = { namespace: 'openmcp-system', name: 'foo--wl' };
const retained = { ...retainedServices.ref, namespace: 'default', name: 'foo-a' };

it('What a provider has once for all objects waits for services that were let go and need it', async () => {
  await using fixture = await startFooFixture({ define: sharingProvider });
  const { workload, platform, onboarding } = fixture.landscape;
  await fixture.create('a', { deletionPolicy: 'Orphan' });
  await fixture.ready('a');
  await fixture.remove('a');
  await fixture.gone('a');
  const { spec } = await onboarding.get<RetainedService>(retained);
  assert.deepEqual(
    spec.sharedRequests?.map(({ kind, name }) => [kind, name]),
    [
      ['AccessRequest', 'foo--wl'],
      ['ClusterRequest', 'foo--wl'],
    ],
  );
  const own = await platform.get({ ...accessRequests.ref, ...wl, name: 'foo--default--a--wl' });
  assert.equal(own.metadata.annotations?.['sdk.chandlery.io/retained-by'], 'default/foo-a');
  await platform.delete(config);
  await eventually(async () => {
    const ready = findCondition(await platform.get<KubeObject>(config), 'Ready');
    return ready?.reason === 'InUse' && ready.message?.includes('default/foo-a');
  });
  await workload.get(at);
  await onboarding.patch(retained, { type: 'merge', body: { metadata: { finalizers: null } } });
  await onboarding.delete(retained);
  await eventually(() => isRemoved(platform.get(config)), { timeoutMs: 30_000 });
  assert.ok(await isRemoved(workload.get(at)));
});

it('What a provider has once for all objects is left to its services when it leaves them running', async () => {
  await using fixture = await startFooFixture({ define: sharingProvider });
  const { workload, platform, onboarding } = fixture.landscape;
  await fixture.create('a');
  await fixture.ready('a');
  const provider = { ...serviceProviders.ref, name: 'foo' };
  const body = { metadata: { finalizers: ['test/hold'] }, spec: { deletionPolicy: 'Orphan' } };
  await platform.patch(provider, { type: 'merge', body });
  await platform.delete(provider);
  await fixture.gone('a');
  await onboarding.get(retained);
  await platform.delete(config);
  await eventually(() => isRemoved(platform.get(config)));
  assert.equal((await workload.get(at)).metadata.labels?.['sdk.chandlery.io/handed-over'], 'true');
  const { annotations } = (await platform.get({ ...accessRequests.ref, ...wl })).metadata;
  assert.equal(annotations?.['sdk.chandlery.io/retained-by'], '~shared/foo');
  assert.equal(annotations['sdk.chandlery.io/kept-kinds'], 'configmaps.v1.');
});
