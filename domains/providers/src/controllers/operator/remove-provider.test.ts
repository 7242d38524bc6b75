import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { accessRequests, clusterRequests } from '@chandlery/clusters/kinds';
import { findCondition, installKinds } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { accessRecords, type Provider, platformServices, retainedNames, retainedServices } from '../../kinds/index.ts';
import {
  foo,
  fooProvider,
  fooRef,
  foos,
  isGone,
  leftovers,
  startTestOperator,
  systemRef,
  type TestOperator,
} from './test-operator.ts';

const deployment = { ...systemRef('apps', 'deployments'), name: 'sp-foo' };
const pods = systemRef('', 'pods');
const definition = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  name: `foos.${foos.group}`,
};
const fooAt = (name: string): ObjectRef => ({ ...foos, namespace: 'default', name });
const hold = ['test.example.org/hold'];
const finalizers = (value: string[]) => ({ type: 'merge', body: { metadata: { finalizers: value } } }) as const;

async function startReady(): Promise<TestOperator> {
  const world = await startTestOperator();
  await world.platform.create(fooRef, fooProvider());
  await world.waitFor('Ready', 'ProviderReady');
  return world;
}

async function assertAllGone(world: TestOperator): Promise<void> {
  await eventually(() => isGone(world.platform, fooRef), { what: 'the end of the provider' });
  assert.deepEqual(await leftovers(world), []);
}

const uninstalled = async (world: TestOperator): Promise<string> =>
  findCondition(await world.get(), 'Uninstalled')?.message ?? '';

async function releasePods({ platform }: TestOperator): Promise<void> {
  for (const { metadata } of (await platform.list(pods)).items) {
    await platform.patch({ ...pods, name: metadata.name ?? '' }, finalizers([]));
  }
}

describe('Removal of a service provider', () => {
  it('leaves the requests that retained services need to them', async () => {
    await using world = await startReady();
    const { platform, onboarding } = world;
    await installKinds(onboarding, [retainedServices.crd], { fieldManager: 'test' });
    const service = { group: 'foo.example.org', kind: 'Foo', name: 'a' };
    const kept = { name: 'foo-a', namespace: 'default', labels: { [retainedNames.providerLabel]: 'foo' } };
    const retained = { ...retainedServices.ref, namespace: 'default' };
    await onboarding.create(retained, retainedServices.object(kept, { provider: 'foo', service }));
    const request = (name: string, annotations: Record<string, string>) =>
      platform.create(
        { ...clusterRequests.ref, namespace: 'openmcp-system' },
        clusterRequests.object(
          { name, namespace: 'openmcp-system', labels: { 'openmcp.cloud/managed-by': 'foo' }, annotations },
          { purpose: 'workload' },
        ),
      );
    await request('foo--wl', { [retainedNames.retainedByAnnotation]: '~shared/foo' });
    await request('foo--onboarding', {});
    await platform.delete(fooRef);
    await eventually(() => isGone(platform, fooRef), { what: 'the end of the provider' });
    const at = { ...clusterRequests.ref, namespace: 'openmcp-system' };
    const { labels } = (await platform.get({ ...at, name: 'foo--wl' })).metadata;
    assert.deepEqual(labels, { [retainedNames.handedOverLabel]: 'true' });
    assert.ok(await isGone(platform, { ...at, name: 'foo--onboarding' }));
  });

  it('waits for clusters that vanished orders had access to, and says which cannot be reached', async () => {
    await using world = await startReady();
    const namespace = 'openmcp-system';
    const at = { ...accessRecords.ref, namespace };
    const labels = { 'openmcp.cloud/managed-by': 'foo', 'sdk.chandlery.io/instance': 'abcdefgh' };
    const annotations = {
      'sdk.chandlery.io/deletion-policy': 'Delete',
      'sdk.chandlery.io/leftover': 'Cluster x/y cannot be reached.',
    };
    const [object, cluster] = [
      { namespace: 'default', name: 'a' },
      { namespace: 'x', name: 'y' },
    ];
    await world.platform.create(
      at,
      accessRecords.object(
        { name: 'foo--a', namespace, labels, annotations },
        { provider: 'foo', object, role: 'workload', cluster },
      ),
    );
    const shown = await world.waitFor('LeftoversFound', 'DecisionNeeded');
    assert.equal(
      findCondition(shown, 'LeftoversFound')?.message,
      'AccessRecord openmcp-system/foo--a: Cluster x/y cannot be reached.',
    );
    await world.platform.delete(fooRef);
    await eventually(async () => /stand for: 1 AccessRecord \(openmcp-system\/foo--a\)/.test(await uninstalled(world)));
    assert.equal(await isGone(world.platform, deployment), false);
    await world.platform.delete({ ...at, name: 'foo--a' });
    await assertAllGone(world);
  });

  it('leaves nothing behind, tells so, and makes room for a new provider of the name', async () => {
    await using world = await startReady();
    await world.platform.delete(fooRef);
    await assertAllGone(world);
    assert.ok(await isGone(world.onboarding, definition));
    const events = { group: '', version: 'v1', plural: 'events', namespace: 'default' };
    await eventually(async () => {
      const { items } = await world.platform.list<KubeObject & { reason?: string }>(events);
      const told = new Set(items.map(({ reason }) => reason));
      return told.has('Uninstalling') && told.has('Uninstalled');
    });
    await world.platform.create(fooRef, fooProvider());
    await world.waitFor('Ready', 'ProviderReady');
    assert.equal(world.kubelet.inits, 2);
  });

  it('waits for the objects of tenants, names them, and keeps serving them', async () => {
    await using world = await startReady();
    for (const name of ['b', 'a', 'c', 'd', 'e', 'f']) await world.onboarding.create(fooAt(name), foo(name));
    const { uid } = (await world.platform.get(deployment)).metadata;
    await world.platform.delete(fooRef, { propagationPolicy: 'Foreground' });
    const provider = await world.waitFor('Uninstalled', 'TenantObjectsRemain');
    assert.equal(
      findCondition(provider, 'Uninstalled')?.message,
      'The provider stays until these are gone: 6 Foo (default/a, default/b, default/c, default/d, default/e, …); delete them first.',
    );
    assert.equal(provider.status?.phase, 'Ready');
    assert.equal((await world.platform.get(deployment)).metadata.uid, uid, 'it runs on, however it is deleted');
    await world.platform.delete(deployment);
    await eventually(async () => !(await isGone(world.platform, deployment)), { what: 'the Deployment to come back' });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await world.onboarding.delete(fooAt(name));
    await eventually(async () => (await uninstalled(world)).includes(' 1 Foo (default/f)'));
    await world.onboarding.delete(fooAt('f'));
    await assertAllGone(world);
  });

  it('brings the run part back when a tenant was quicker', async () => {
    await using world = await startReady();
    await world.platform.delete(deployment);
    world.kubelet.podFinalizers = hold;
    await eventually(async () =>
      (await world.platform.list(pods)).items.some(({ metadata }) => metadata.finalizers?.length),
    );
    await world.waitFor('Ready', 'ProviderReady');
    await world.platform.delete(fooRef);
    await world.waitFor('Uninstalled', 'Uninstalling');
    await eventually(() => isGone(world.platform, deployment));
    await world.onboarding.create(fooAt('late'), foo('late', { finalizers: hold }));
    world.kubelet.podFinalizers = [];
    await releasePods(world);
    await world.waitFor('Uninstalled', 'TenantObjectsRemain');
    await eventually(async () => !(await isGone(world.platform, deployment)), { what: 'the Deployment to come back' });
    assert.equal(await isGone(world.onboarding, definition), false);
    await world.onboarding.delete(fooAt('late'));
    await world.onboarding.patch(fooAt('late'), finalizers([]));
    await assertAllGone(world);
  });

  it('shows each stage, and survives a restart of the operator in each', async () => {
    await using world = await startTestOperator();
    world.kubelet.podFinalizers = hold;
    await world.platform.create(fooRef, fooProvider());
    await world.waitFor('Ready', 'ProviderReady');
    await world.onboarding.create(fooAt('a'), foo('a'));
    const request = await makeRequests(world);
    await world.onboarding.patch(definition, finalizers(['customresourcecleanup.apiextensions.k8s.io', ...hold]));
    await world.platform.delete(fooRef);

    await world.waitFor('Uninstalled', 'TenantObjectsRemain');
    await world.restart();
    await world.onboarding.delete(fooAt('a'));

    await eventually(async () => /run part: waiting until pods\/sp-foo/.test(await uninstalled(world)));
    assert.equal((await world.get()).status?.phase, 'Uninstalling');
    assert.equal(await isGone(world.onboarding, definition), false);
    await world.restart();
    await releasePods(world);

    await eventually(async () =>
      /API part: waiting until customresourcedefinitions\/foos/.test(await uninstalled(world)),
    );
    await world.restart();
    await world.onboarding.patch(definition, finalizers([]));

    await eventually(async () => /access to clusters: waiting until accessrequests/.test(await uninstalled(world)));
    await world.restart();
    await world.platform.patch(request, finalizers([]));
    await assertAllGone(world);
  });

  it('waits for objects on the platform that only the provider can let go, but not for its configuration', async () => {
    await using world = await startReady();
    const ref = { group: foos.group, version: 'v1', plural: 'providerconfigs', name: 'foo' };
    const config = { apiVersion: `${foos.group}/v1`, kind: 'ProviderConfig', metadata: { name: 'foo' }, spec: {} };
    await world.platform.create(ref, {
      ...config,
      metadata: { name: 'foo', finalizers: [`${foos.group}/in-use`, ...hold] },
    });
    await world.platform.delete(fooRef);
    await world.waitFor('Uninstalled', 'TenantObjectsRemain');
    assert.match(await uninstalled(world), /1 ProviderConfig \(foo\)/);
    await world.platform.patch(ref, finalizers([`${foos.group}/in-use`]));
    await assertAllGone(world);
  });

  it('works while init is running, and while it fails', async () => {
    await using world = await startTestOperator();
    for (const script of ['hang', 'fail'] as const) {
      world.kubelet.init = script;
      await world.platform.create(fooRef, fooProvider());
      await world.waitFor('Initialized', script === 'hang' ? 'InitRunning' : 'InitFailed');
      await world.platform.delete(fooRef);
      await assertAllGone(world);
    }
  });

  it('leaves alone what bears the name of an older provider of another kind', async () => {
    await using world = await startReady();
    // Ages are told in seconds; within one, the kind decides.
    await sleep(1100);
    const namesake = { ...platformServices.ref, name: 'foo' };
    const spec = { image: 'bar:1' } as Provider['spec'];
    await world.platform.create(namesake, platformServices.object({ name: 'foo' }, spec));
    await eventually(async () => {
      const { message = '' } = findCondition(await world.platform.get(namesake), 'Ready') ?? {};
      return message.startsWith('There is a ServiceProvider of the same name');
    });
    await world.platform.delete(namesake);
    await eventually(() => isGone(world.platform, namesake));
    assert.equal(await isGone(world.onboarding, definition), false);
    assert.equal((await world.get()).status?.phase, 'Ready');
  });

  it('ends quickly for one that its author never got right', async () => {
    await using world = await startTestOperator();
    await world.platform.create(fooRef, fooProvider({ env: [{ name: 'POD_NAME', value: 'x' }] }));
    await world.waitFor('Synced', 'TerminalError');
    await world.platform.delete(fooRef);
    await assertAllGone(world);
  });
});

/** What a provider of the SDK asks for; the AccessRequest is held by whoever gave the access. */
async function makeRequests({ platform }: TestOperator): Promise<ObjectRef> {
  const labels = { 'openmcp.cloud/managed-by': 'foo' };
  const namespace = 'openmcp-system';
  const metadata = { name: 'foo--onboarding', namespace, labels };
  await platform.create(
    { ...clusterRequests.ref, namespace },
    clusterRequests.object(metadata, { purpose: 'onboarding' }),
  );
  const spec = { requestRef: { name: 'foo--onboarding', namespace }, token: {} };
  const ref = { ...accessRequests.ref, namespace, name: 'foo--onboarding' };
  await platform.create(ref, accessRequests.object({ ...metadata, finalizers: hold }, spec));
  return ref;
}

describe('Requests that a provider made for orders that are gone', () => {
  it('are shown, keep the provider running while it is removed, and go from every namespace', async () => {
    await using world = await startTestOperator();
    await world.platform.create(fooRef, fooProvider());
    await world.waitFor('Ready', 'ProviderReady');
    const namespace = 'mcp--somewhere';
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
    await world.platform.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const labels = { 'openmcp.cloud/managed-by': 'foo', 'sdk.chandlery.io/instance': 'abcdefgh' };
    const annotations = { 'sdk.chandlery.io/leftover': 'nobody knows' };
    const metadata = { name: 'foo--a--mcp', namespace, labels, annotations };
    const spec = { requestRef: { name: 'a', namespace }, token: {} };
    const request = { ...accessRequests.ref, namespace, name: metadata.name };
    await world.platform.create({ ...accessRequests.ref, namespace }, accessRequests.object(metadata, spec));
    const shown = await world.waitFor('LeftoversFound', 'DecisionNeeded');
    assert.match(JSON.stringify(shown.status), /AccessRequest mcp--somewhere\/foo--a--mcp/);
    await world.platform.delete(fooRef);
    const waiting = await world.waitFor('Uninstalled', 'TenantObjectsRemain');
    assert.match(JSON.stringify(waiting.status), /it takes away what these stand for: 1 AccessRequest/);
    assert.equal(await isGone(world.platform, { ...systemRef('apps', 'deployments'), name: 'sp-foo' }), false);
    // As the provider does when it has taken away what it stood for.
    await world.platform.delete(request);
    await eventually(() => isGone(world.platform, fooRef));
    assert.deepEqual(await leftovers(world), []);
  });
});
