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
  const fixture = await startTestOperator();
  await fixture.platform.create(fooRef, fooProvider());
  await fixture.waitFor('Ready', 'ProviderReady');
  return fixture;
}

async function assertAllGone(fixture: TestOperator): Promise<void> {
  await eventually(() => isGone(fixture.platform, fooRef), { what: 'the end of the provider' });
  assert.deepEqual(await leftovers(fixture), []);
}

const uninstalled = async (fixture: TestOperator): Promise<string> =>
  findCondition(await fixture.get(), 'Uninstalled')?.message ?? '';

async function releasePods({ platform }: TestOperator): Promise<void> {
  for (const { metadata } of (await platform.list(pods)).items) {
    await platform.patch({ ...pods, name: metadata.name ?? '' }, finalizers([]));
  }
}

describe('Removal of a service provider', () => {
  it('leaves the requests that retained services need to them', async () => {
    await using fixture = await startReady();
    const { platform, onboarding } = fixture;
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
    await using fixture = await startReady();
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
    await fixture.platform.create(
      at,
      accessRecords.object(
        { name: 'foo--a', namespace, labels, annotations },
        { provider: 'foo', object, role: 'workload', cluster },
      ),
    );
    const shown = await fixture.waitFor('LeftoversFound', 'DecisionNeeded');
    assert.equal(
      findCondition(shown, 'LeftoversFound')?.message,
      'AccessRecord openmcp-system/foo--a: Cluster x/y cannot be reached.',
    );
    await fixture.platform.delete(fooRef);
    await eventually(async () =>
      /stand for: 1 AccessRecord \(openmcp-system\/foo--a\)/.test(await uninstalled(fixture)),
    );
    assert.equal(await isGone(fixture.platform, deployment), false);
    await fixture.platform.delete({ ...at, name: 'foo--a' });
    await assertAllGone(fixture);
  });

  it('leaves nothing behind, reports that, and allows a new provider of the name', async () => {
    await using fixture = await startReady();
    await fixture.platform.delete(fooRef);
    await assertAllGone(fixture);
    assert.ok(await isGone(fixture.onboarding, definition));
    const events = { group: '', version: 'v1', plural: 'events', namespace: 'default' };
    await eventually(async () => {
      const { items } = await fixture.platform.list<KubeObject & { reason?: string }>(events);
      const reported = new Set(items.map(({ reason }) => reason));
      return reported.has('Uninstalling') && reported.has('Uninstalled');
    });
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Ready', 'ProviderReady');
    assert.equal(fixture.kubelet.inits, 2);
  });

  it('waits for the objects of tenants, names them, and keeps serving them', async () => {
    await using fixture = await startReady();
    for (const name of ['b', 'a', 'c', 'd', 'e', 'f']) await fixture.onboarding.create(fooAt(name), foo(name));
    const { uid } = (await fixture.platform.get(deployment)).metadata;
    await fixture.platform.delete(fooRef, { propagationPolicy: 'Foreground' });
    const provider = await fixture.waitFor('Uninstalled', 'TenantObjectsRemain');
    assert.equal(
      findCondition(provider, 'Uninstalled')?.message,
      'The provider stays until these are deleted: 6 Foo (default/a, default/b, default/c, default/d, default/e, …); delete them first.',
    );
    assert.equal(provider.status?.phase, 'Terminating');
    assert.equal((await fixture.platform.get(deployment)).metadata.uid, uid, 'it runs on, however it is deleted');
    await fixture.platform.delete(deployment);
    await eventually(async () => !(await isGone(fixture.platform, deployment)), {
      what: 'the Deployment to come back',
    });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await fixture.onboarding.delete(fooAt(name));
    await eventually(async () => (await uninstalled(fixture)).includes(' 1 Foo (default/f)'));
    await fixture.onboarding.delete(fooAt('f'));
    await assertAllGone(fixture);
  });

  it('brings the run part back when a tenant was quicker', async () => {
    await using fixture = await startReady();
    await fixture.platform.delete(deployment);
    fixture.kubelet.podFinalizers = hold;
    await eventually(async () =>
      (await fixture.platform.list(pods)).items.some(({ metadata }) => metadata.finalizers?.length),
    );
    await fixture.waitFor('Ready', 'ProviderReady');
    await fixture.platform.delete(fooRef);
    await fixture.waitFor('Uninstalled', 'Uninstalling');
    await eventually(() => isGone(fixture.platform, deployment));
    await fixture.onboarding.create(fooAt('late'), foo('late', { finalizers: hold }));
    fixture.kubelet.podFinalizers = [];
    await releasePods(fixture);
    await fixture.waitFor('Uninstalled', 'TenantObjectsRemain');
    await eventually(async () => !(await isGone(fixture.platform, deployment)), {
      what: 'the Deployment to come back',
    });
    assert.equal(await isGone(fixture.onboarding, definition), false);
    await fixture.onboarding.delete(fooAt('late'));
    await fixture.onboarding.patch(fooAt('late'), finalizers([]));
    await assertAllGone(fixture);
  });

  it('shows each stage, and survives a restart of the operator in each', async () => {
    await using fixture = await startTestOperator();
    fixture.kubelet.podFinalizers = hold;
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Ready', 'ProviderReady');
    await fixture.onboarding.create(fooAt('a'), foo('a'));
    const request = await makeRequests(fixture);
    await fixture.onboarding.patch(definition, finalizers(['customresourcecleanup.apiextensions.k8s.io', ...hold]));
    await fixture.platform.delete(fooRef);

    await fixture.waitFor('Uninstalled', 'TenantObjectsRemain');
    await fixture.restart();
    await fixture.onboarding.delete(fooAt('a'));

    await eventually(async () => /run part: waiting until pods\/sp-foo/.test(await uninstalled(fixture)));
    assert.equal((await fixture.get()).status?.phase, 'Uninstalling');
    assert.equal(await isGone(fixture.onboarding, definition), false);
    await fixture.restart();
    await releasePods(fixture);

    await eventually(async () =>
      /API part: waiting until customresourcedefinitions\/foos/.test(await uninstalled(fixture)),
    );
    await fixture.restart();
    await fixture.onboarding.patch(definition, finalizers([]));

    await eventually(async () => /access to clusters: waiting until accessrequests/.test(await uninstalled(fixture)));
    await fixture.restart();
    await fixture.platform.patch(request, finalizers([]));
    await assertAllGone(fixture);
  });

  it('waits for objects on the platform that only the provider can let go, but not for its configuration', async () => {
    await using fixture = await startReady();
    const ref = { group: foos.group, version: 'v1', plural: 'providerconfigs', name: 'foo' };
    const config = { apiVersion: `${foos.group}/v1`, kind: 'ProviderConfig', metadata: { name: 'foo' }, spec: {} };
    await fixture.platform.create(ref, {
      ...config,
      metadata: { name: 'foo', finalizers: [`${foos.group}/in-use`, ...hold] },
    });
    await fixture.platform.delete(fooRef);
    await fixture.waitFor('Uninstalled', 'TenantObjectsRemain');
    assert.match(await uninstalled(fixture), /1 ProviderConfig \(foo\)/);
    await fixture.platform.patch(ref, finalizers([`${foos.group}/in-use`]));
    await assertAllGone(fixture);
  });

  it('works while init is running, and while it fails', async () => {
    await using fixture = await startTestOperator();
    for (const script of ['hang', 'fail'] as const) {
      fixture.kubelet.init = script;
      await fixture.platform.create(fooRef, fooProvider());
      await fixture.waitFor('Initialized', script === 'hang' ? 'InitRunning' : 'InitFailed');
      await fixture.platform.delete(fooRef);
      await assertAllGone(fixture);
    }
  });

  it('leaves alone what bears the name of an older provider of another kind', async () => {
    await using fixture = await startReady();
    // Creation times have seconds; within one, the kind decides.
    await sleep(1100);
    const namesake = { ...platformServices.ref, name: 'foo' };
    const spec = { image: 'bar:1' } as Provider['spec'];
    await fixture.platform.create(namesake, platformServices.object({ name: 'foo' }, spec));
    await eventually(async () => {
      const { message = '' } = findCondition(await fixture.platform.get(namesake), 'Ready') ?? {};
      return message.startsWith('There is a ServiceProvider of the same name');
    });
    await fixture.platform.delete(namesake);
    await eventually(() => isGone(fixture.platform, namesake));
    assert.equal(await isGone(fixture.onboarding, definition), false);
    assert.equal((await fixture.get()).status?.phase, 'Ready');
  });

  it('ends quickly for one that its author never got right', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider({ env: [{ name: 'POD_NAME', value: 'x' }] }));
    await fixture.waitFor('Synced', 'TerminalError');
    await fixture.platform.delete(fooRef);
    await assertAllGone(fixture);
  });
});

/** Creates the requests of an SDK provider; the AccessRequest has a finalizer of its cluster provider. */
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

describe('Requests that a provider created for deleted service objects', () => {
  it('are shown, keep the provider running while it is removed, and go from every namespace', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Ready', 'ProviderReady');
    const namespace = 'mcp--somewhere';
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
    await fixture.platform.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const labels = { 'openmcp.cloud/managed-by': 'foo', 'sdk.chandlery.io/instance': 'abcdefgh' };
    const annotations = { 'sdk.chandlery.io/leftover': 'not known' };
    const metadata = { name: 'foo--a--mcp', namespace, labels, annotations };
    const spec = { requestRef: { name: 'a', namespace }, token: {} };
    const request = { ...accessRequests.ref, namespace, name: metadata.name };
    await fixture.platform.create({ ...accessRequests.ref, namespace }, accessRequests.object(metadata, spec));
    const shown = await fixture.waitFor('LeftoversFound', 'DecisionNeeded');
    assert.match(JSON.stringify(shown.status), /AccessRequest mcp--somewhere\/foo--a--mcp/);
    await fixture.platform.delete(fooRef);
    const waiting = await fixture.waitFor('Uninstalled', 'TenantObjectsRemain');
    assert.match(JSON.stringify(waiting.status), /it removes what these stand for: 1 AccessRequest/);
    assert.equal(await isGone(fixture.platform, { ...systemRef('apps', 'deployments'), name: 'sp-foo' }), false);
    // As the provider does after it has removed the content.
    await fixture.platform.delete(request);
    await eventually(() => isGone(fixture.platform, fooRef));
    assert.deepEqual(await leftovers(fixture), []);
  });
});
