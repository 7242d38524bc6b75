import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { accessRequests, clusterRequests, tenantNamespace } from '@chandlery/clusters/kinds';
import { type RetainedService, retainedServices, serviceProviders } from '@chandlery/providers/kinds';
import { findCondition, isDeleting } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import {
  connectionSecretName,
  instanceIdOf,
  instanceNamespaceOf,
  receiptName,
  retainedServiceName,
  sdkNames,
} from '../model/names.ts';
import { type FooFixture, startFooFixture } from '../test-foo-fixture.ts';
import { bars, fooConfigs } from '../test-provider.ts';

const identity = { namespace: 'default', name: 'a' };
const id = instanceIdOf(identity);
const instance = instanceNamespaceOf('Foo', identity);
const home = tenantNamespace('default', 'a');
const core = { group: '', version: 'v1' };
const configMap = { ...core, plural: 'configmaps', namespace: instance, name: 'foo' };
const crd: ObjectRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  name: bars.crd.metadata.name ?? '',
};
const receipt = { ...core, plural: 'configmaps', namespace: 'default', name: receiptName('Foo', 'a') };

const retainedRef = { ...retainedServices.ref, namespace: 'default', name: retainedServiceName('Foo', 'a') };

const find = (client: Client, ref: ObjectRef): Promise<KubeObject | undefined> =>
  client.get(ref).catch((error: unknown) => {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  });

async function requestsOf({ landscape }: FooFixture): Promise<readonly string[]> {
  const names = async (ref: typeof accessRequests.ref): Promise<readonly string[]> =>
    (await landscape.platform.list({ ...ref, namespace: home })).items.map(({ metadata }) => metadata.name ?? '');
  return [...(await names(accessRequests.ref)), ...(await names(clusterRequests.ref))];
}

async function startReady(spec: object = {}): Promise<FooFixture> {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startFooFixture());
  await fixture.create('a', spec);
  await fixture.ready('a');
  stack.move();
  return fixture;
}

describe('A deleted service object', () => {
  it('takes everything along and gives its access back', async () => {
    await using fixture = await startReady();
    await fixture.remove('a');
    await fixture.gone('a');
    const { workload, plane } = fixture.landscape;
    assert.equal(await find(workload, configMap), undefined);
    assert.equal(await find(workload, { ...core, plural: 'namespaces', name: instance }), undefined);
    assert.equal(await find(plane.connect('mcp-a'), crd), undefined);
    assert.deepEqual(fixture.bank.deeds, [`create ${id}`, `delete ${id}`]);
    assert.deepEqual(await requestsOf(fixture), ['a']);
  });

  it('stays while the tenant has objects that need it, and goes with the last of them', async () => {
    await using fixture = await startReady();
    const mcp = fixture.landscape.plane.connect('mcp-a');
    const bar = { ...bars.ref, namespace: 'default' };
    await mcp.create(bar, bars.object({ name: 'mine', namespace: 'default' }, {}));
    await fixture.remove('a');
    const message = await fixture.says('a', 'DeletionBlocked', 'UserResourcesPresent');
    assert.equal(message, 'On the control plane there still are 1 Bar (bars.foo.example.org); delete them first.');
    assert.equal((await fixture.get('a')).status?.phase, 'Terminating');
    await mcp.get({ ...bar, name: 'mine' });
    assert.ok(await find(fixture.landscape.workload, configMap));
    await mcp.delete({ ...bar, name: 'mine' });
    await fixture.gone('a');
  });

  it('reports that it waits while it is paused, and how to continue', async () => {
    await using fixture = await startReady();
    const pause = (operation: string | null) =>
      fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': operation } } });
    await pause('ignore');
    await fixture.says('a', 'Paused', 'PausedByUser');
    await fixture.remove('a');
    const message = await fixture.says('a', 'Paused', 'DeletionPaused');
    assert.match(
      message,
      /deletion waits because the object is paused.*remove the annotation openmcp\.cloud\/operation/,
    );
    assert.ok(await find(fixture.landscape.workload, configMap));
    await pause(null);
    await fixture.gone('a');
  });

  it('is deleted although its last spec could not be fulfilled', async () => {
    await using fixture = await startReady();
    await fixture.patch('a', { spec: { version: '9.9' } });
    await fixture.says('a', 'Ready', 'UserError');
    await fixture.remove('a');
    await fixture.gone('a');
    assert.equal(await find(fixture.landscape.workload, configMap), undefined);
  });

  it('does not wait for a deleted control plane', async () => {
    await using fixture = await startReady();
    await fixture.landscape.loseControlPlane('default', 'a');
    await fixture.remove('a');
    await fixture.gone('a');
    assert.deepEqual(fixture.bank.accounts.size, 0);
    assert.equal(await find(fixture.landscape.workload, configMap), undefined);
  });

  it('goes when it never got anywhere', async () => {
    await using fixture = await startFooFixture({ controlPlanes: {} });
    await fixture.create('a');
    await fixture.says('a', 'Ready', 'Reconciling');
    await fixture.remove('a');
    await fixture.gone('a');
  });

  it('goes when there never was a configuration', async () => {
    await using fixture = await startFooFixture();
    await fixture.landscape.platform.delete({ ...fooConfigs.ref, name: 'foo' });
    await fixture.create('a');
    await fixture.says('a', 'Ready', 'Reconciling');
    await fixture.remove('a');
    await fixture.gone('a');
  });

  it('is asked about again until the provider has taken the service away', async () => {
    await using fixture = await startReady();
    fixture.bank.failure = new Error('the bank is closed');
    await fixture.remove('a');
    assert.match(await fixture.says('a', 'Synced', 'ReconcileError'), /the bank is closed/);
    assert.ok(await find(fixture.landscape.workload, configMap));
    fixture.bank.failure = undefined;
    await fixture.gone('a');
  });

  it('lets the configuration go when it was the last that used it', async () => {
    await using fixture = await startReady();
    const { platform } = fixture.landscape;
    await platform.delete({ ...fooConfigs.ref, name: 'foo' });
    const kept = await platform.get({ ...fooConfigs.ref, name: 'foo' });
    assert.deepEqual(kept.metadata.finalizers, ['foo.services.example.org/in-use']);
    await fixture.remove('a');
    await fixture.gone('a');
    assert.equal(await find(platform, { ...fooConfigs.ref, name: 'foo' }), undefined);
  });
});

describe('A service object that is let go', () => {
  it('leaves everything running, without marks, and a receipt', async () => {
    await using fixture = await startReady({ deletionPolicy: 'Orphan' });
    await fixture.remove('a');
    await fixture.gone('a');
    const { workload, onboarding, plane } = fixture.landscape;
    const left = await workload.get(configMap);
    assert.deepEqual(left['data'], { version: '1.0', greeting: 'hello' });
    assert.equal(left.metadata.labels?.[sdkNames.managedByLabel], undefined);
    assert.ok(await find(plane.connect('mcp-a'), crd));
    assert.equal(fixture.bank.accounts.get(id)?.isOwned, false);
    const { stays = '', adopt = '' } = (await onboarding.get(receipt))['data'] as Record<string, string>;
    assert.match(stays, new RegExp(`^Account ${id}$`, 'm'));
    assert.match(stays, new RegExp(`^ConfigMap ${instance}/foo on the workload cluster$`, 'm'));
    assert.match(adopt, /Create a Foo named "a" in namespace "default"/);
    const secret = await onboarding.get({ ...receipt, plural: 'secrets', name: connectionSecretName('Foo', 'a') });
    const retained = await onboarding.get<RetainedService>(retainedRef);
    const owners = [secret, await onboarding.get(receipt)].map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    assert.deepEqual(owners, [retained.metadata.uid, retained.metadata.uid]);
  });

  it('hands its access and its clusters over to a RetainedService', async () => {
    await using fixture = await startReady({ deletionPolicy: 'Orphan' });
    const { platform, onboarding } = fixture.landscape;
    await fixture.remove('a');
    await fixture.gone('a');
    const { spec } = await onboarding.get<RetainedService>(retainedRef);
    assert.deepEqual([spec.provider, spec.service.kind, spec.controlPlane], ['foo', 'Foo', 'a']);
    assert.deepEqual(
      spec.requests?.map(({ kind, namespace, name }) => [kind, namespace, name]),
      [
        ['AccessRequest', home, 'foo--a--mcp'],
        ['AccessRequest', home, 'foo--a--wl'],
        ['ClusterRequest', home, 'foo--a--wl'],
      ],
    );
    assert.deepEqual(await requestsOf(fixture), ['foo--a--mcp', 'foo--a--wl', 'a', 'foo--a--wl']);
    for (const ref of [accessRequests.ref, clusterRequests.ref]) {
      const { metadata } = await platform.get({ ...ref, namespace: home, name: 'foo--a--wl' });
      assert.equal(metadata.labels?.[sdkNames.managedByLabel], undefined);
      assert.equal(metadata.labels?.[sdkNames.handedOverLabel], 'true');
      assert.equal(metadata.annotations?.[sdkNames.formerObjectAnnotation], 'foo/default/a');
      assert.equal(metadata.annotations?.['sdk.chandlery.io/retained-by'], 'default/foo-a');
    }
    const { metadata } = await platform.get({ ...accessRequests.ref, namespace: home, name: 'foo--a--wl' });
    assert.equal(metadata.annotations?.['sdk.chandlery.io/kept-kinds'], 'configmaps.v1.,namespaces.v1.');
  });

  it('stays retained when a new object of its name comes and goes before it is ready', async () => {
    await using fixture = await startReady({ deletionPolicy: 'Orphan' });
    const { platform, onboarding } = fixture.landscape;
    await fixture.remove('a');
    await fixture.gone('a');
    await fixture.create('a', { version: '9.9' });
    await fixture.says('a', 'Ready', 'UserError');
    await fixture.remove('a');
    await fixture.gone('a');
    assert.ok(await find(onboarding, retainedRef));
    const request = await platform.get({ ...accessRequests.ref, namespace: home, name: 'foo--a--wl' });
    assert.equal(request.metadata.labels?.[sdkNames.handedOverLabel], 'true');
    assert.equal(request.metadata.annotations?.['sdk.chandlery.io/kept-kinds'], 'configmaps.v1.,namespaces.v1.');
    assert.ok(await find(fixture.landscape.workload, configMap));
  });

  it('is taken over also when only a receipt exists, as earlier versions left it', async () => {
    await using fixture = await startReady({ deletionPolicy: 'Orphan' });
    const { platform, onboarding, workload } = fixture.landscape;
    await fixture.remove('a');
    await fixture.gone('a');
    await onboarding.patch(retainedRef, { type: 'merge', body: { metadata: { finalizers: null } } });
    await onboarding.patch(receipt, { type: 'merge', body: { metadata: { ownerReferences: null } } });
    await onboarding.delete(retainedRef);
    for (const name of ['foo--a--mcp', 'foo--a--wl'])
      await platform.delete({ ...accessRequests.ref, namespace: home, name });
    await platform.delete({ ...clusterRequests.ref, namespace: home, name: 'foo--a--wl' });
    const unmarked = { labels: null, annotations: null };
    const { uid } = (await workload.patch(configMap, { type: 'merge', body: { metadata: unmarked } })).metadata;
    await fixture.create('a');
    await fixture.ready('a');
    assert.equal((await workload.get(configMap)).metadata.uid, uid);
    assert.equal(await find(onboarding, receipt), undefined);
  });

  it('is not kept by objects of the tenant', async () => {
    await using fixture = await startReady({ deletionPolicy: 'Orphan' });
    const mcp = fixture.landscape.plane.connect('mcp-a');
    await mcp.create({ ...bars.ref, namespace: 'default' }, bars.object({ name: 'mine', namespace: 'default' }, {}));
    await fixture.remove('a');
    await fixture.gone('a');
  });

  it('is taken over by a new object of the same name', async () => {
    await using fixture = await startReady({ deletionPolicy: 'Orphan' });
    const { workload, onboarding } = fixture.landscape;
    const { uid } = (await workload.get(configMap)).metadata;
    await fixture.remove('a');
    await fixture.gone('a');
    await fixture.create('a');
    await fixture.ready('a');
    const { metadata } = await workload.get(configMap);
    assert.equal(metadata.uid, uid);
    assert.equal(metadata.labels?.[sdkNames.managedByLabel], 'foo');
    assert.deepEqual(fixture.bank.deeds, [`create ${id}`, `update ${id}`]);
    assert.equal(await find(onboarding, receipt), undefined);
    const retained = await find(onboarding, retainedRef);
    assert.ok(retained === undefined || isDeleting(retained));
    const request = await fixture.landscape.platform.get({
      ...accessRequests.ref,
      namespace: home,
      name: 'foo--a--wl',
    });
    assert.equal(request.metadata.labels?.[sdkNames.managedByLabel], 'foo');
    const { [sdkNames.policyAnnotation]: policy, ...others } = request.metadata.annotations ?? {};
    assert.equal(policy, 'Delete', 'the policy of the new object');
    assert.deepEqual(Object.keys(others), ['sdk.chandlery.io/object']);
    await eventually(async () => (await fixture.events('a')).includes('Adopted'));
    assert.equal(findCondition(await fixture.get('a'), 'Ready')?.reason, 'ReconcileSuccess');
  });
});

describe('A provider that is deleted with the policy Orphan', () => {
  const providerRef = { ...serviceProviders.ref, name: 'foo' };
  const leave = async ({ landscape: { platform } }: FooFixture): Promise<void> => {
    const body = { metadata: { finalizers: ['test/hold'] }, spec: { deletionPolicy: 'Orphan' } };
    await platform.patch(providerRef, { type: 'merge', body });
    await platform.delete(providerRef);
  };

  it('lets go of all its services, whatever they say themselves', async () => {
    await using fixture = await startReady();
    await leave(fixture);
    await fixture.gone('a');
    assert.ok(await find(fixture.landscape.workload, configMap));
    assert.ok(await find(fixture.landscape.onboarding, retainedRef));
    assert.equal(fixture.bank.accounts.get(id)?.isOwned, false);
  });

  it('takes away what a tenant had deleted before', async () => {
    await using fixture = await startReady();
    fixture.bank.failure = new Error('the bank is closed');
    await fixture.remove('a');
    await fixture.says('a', 'Synced', 'ReconcileError');
    const { deletionTimestamp = '' } = (await fixture.get('a')).metadata;
    await eventually(() => Date.now() >= Date.parse(deletionTimestamp) + 1000);
    await leave(fixture);
    fixture.bank.failure = undefined;
    await fixture.gone('a');
    assert.equal(await find(fixture.landscape.workload, configMap), undefined);
    assert.equal(await find(fixture.landscape.onboarding, retainedRef), undefined);
  });
});
