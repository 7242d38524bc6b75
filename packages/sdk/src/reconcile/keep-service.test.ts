import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { accessRequests, clusterRequests, tenantNamespace } from '@chandlery/clusters/kinds';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { connectionSecretName, instanceIdOf, instanceNamespaceOf } from '../model/names.ts';
import { startFooWorld } from '../test-foo-world.ts';
import { bars, fooConfigs } from '../test-provider.ts';

const identity = { namespace: 'default', name: 'a' };
const instance = instanceNamespaceOf('Foo', identity);
const configMap = { group: '', version: 'v1', plural: 'configmaps', namespace: instance, name: 'foo' };
const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

describe('A service object', () => {
  it('becomes ready when everything it stands for is there', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    const foo = await world.ready('a');
    assert.ok(isConditionTrue(foo, 'Synced') && isConditionTrue(foo, 'Ready'));
    const { data } = await world.landscape.workload.get(configMap);
    assert.deepEqual(data, { version: '1.0', greeting: 'hello' });
    const crd = await world.landscape.plane.connect('mcp-a').get({ ...crds, name: bars.crd.metadata.name ?? '' });
    assert.ok(isConditionTrue(crd, 'Established'));
    assert.deepEqual(world.bank.deeds, [`create ${instanceIdOf(identity)}`]);
    assert.deepEqual(foo.status?.resources?.map(({ kind }) => kind).sort(), [
      'ConfigMap',
      'CustomResourceDefinition',
      'Namespace',
    ]);
  });

  it('has its access requests in the namespace of its control plane', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    await world.ready('a');
    const namespace = tenantNamespace('default', 'a');
    const list = async (ref: typeof accessRequests.ref): Promise<readonly string[]> =>
      (await world.landscape.platform.list({ ...ref, namespace })).items.map(({ metadata }) => metadata.name ?? '');
    assert.deepEqual(await list(accessRequests.ref), ['foo--a--mcp', 'foo--a--wl']);
    assert.deepEqual(await list(clusterRequests.ref), ['a', 'foo--a--wl']);
  });

  it('gives its tenant a Secret to use the service', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    const foo = await world.ready('a');
    const name = connectionSecretName('Foo', 'a');
    assert.equal(foo.status?.connectionSecretRef?.name, name);
    const at = { group: '', version: 'v1', plural: 'secrets', namespace: 'default', name };
    const { data, metadata } = await world.landscape.onboarding.get(at);
    assert.deepEqual(data, { account: Buffer.from(instanceIdOf(identity)).toString('base64') });
    assert.equal(metadata.ownerReferences?.[0]?.uid, foo.metadata.uid);
  });

  it('says what it waits for, and goes on by itself', async () => {
    await using world = await startFooWorld({ controlPlanes: {} });
    await world.create('a');
    assert.match(await world.says('a', 'Ready', 'Reconciling'), /no control plane "a" in namespace "default"/);
    world.landscape.isGranting = false;
    await world.landscape.createControlPlane('default', 'a', 'mcp-a');
    await eventually(async () =>
      /AccessRequest .*foo--a--mcp, it is pending/.test(await world.says('a', 'Ready', 'Reconciling')),
    );
    world.landscape.isGranting = true;
    world.landscape.grantAll();
    await world.ready('a');
  });

  it('is not served before there is a configuration, and is when it comes', async () => {
    await using world = await startFooWorld();
    await world.landscape.platform.delete({ ...fooConfigs.ref, name: 'foo' });
    await world.create('a');
    assert.match(await world.says('a', 'Ready', 'Reconciling'), /No ProviderConfig named "foo"; create it/);
    await world.landscape.platform.create(fooConfigs.ref, fooConfigs.object({ name: 'foo' }, { versions: ['1.0'] }));
    await world.ready('a');
  });

  it('is put right when somebody changes what it stands for', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    await world.ready('a');
    await world.landscape.workload.patch(configMap, { type: 'merge', body: { data: { version: '0.1' } } });
    await eventually(
      async () => ((await world.landscape.workload.get(configMap))['data'] as { version: string }).version === '1.0',
    );
    await world.landscape.workload.delete(configMap);
    await eventually(() => world.landscape.workload.get(configMap));
    await eventually(async () => (await world.events('a')).includes('DriftRepaired'));
    await eventually(async () =>
      /chandlery_provider_drift_total\{kind="ConfigMap"\} 2/.test(await world.registry.render()),
    );
  });

  it('is left alone while it is ignored, and catches up afterwards', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    await world.ready('a');
    await world.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } });
    await world.says('a', 'Paused', 'PausedByUser');
    await world.patch('a', { spec: { size: 5 } });
    await world.landscape.workload.patch(configMap, { type: 'merge', body: { data: { version: '0.1' } } });
    await world.create('b');
    await world.says('b', 'Ready', 'Reconciling');
    assert.equal(world.bank.accounts.get(instanceIdOf(identity))?.size, 1);
    assert.deepEqual((await world.landscape.workload.get(configMap))['data'], { version: '0.1', greeting: 'hello' });
    await world.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': null } } });
    await eventually(() => world.bank.accounts.get(instanceIdOf(identity))?.size === 5);
    await world.ready('a');
    assert.deepEqual((await world.landscape.workload.get(configMap))['data'], { version: '1.0', greeting: 'hello' });
  });

  it('is looked at once more on request', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    await world.ready('a');
    world.bank.accounts.clear();
    await world.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'reconcile' } } });
    await eventually(() => world.bank.accounts.size === 1);
    await eventually(
      async () => (await world.get('a')).metadata.annotations?.['openmcp.cloud/operation'] === undefined,
    );
    assert.deepEqual(world.bank.deeds.length, 2);
  });

  it('tells users about their mistakes and does not try again by itself', async () => {
    await using world = await startFooWorld();
    await world.create('a', { version: '9.9' });
    assert.match(await world.says('a', 'Ready', 'UserError'), /"9\.9" is not offered \(Choose one of 1\.0, 1\.1\.\)/);
    assert.equal(findCondition(await world.get('a'), 'Synced')?.reason, 'TerminalError');
    const passes = await settledPasses(world);
    await world.create('b');
    await world.says('b', 'Ready', 'Reconciling');
    assert.ok((await world.passes()).terminal === passes.terminal);
    await world.patch('a', { spec: { version: '1.1' } });
    await world.ready('a');
  });

  it('keeps what works when something fails for a while', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    await world.ready('a');
    world.bank.failure = new Error('the bank is closed');
    world.bank.accounts.clear();
    await world.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'reconcile' } } });
    assert.match(await world.says('a', 'Synced', 'ReconcileError'), /the bank is closed/);
    const foo = await world.get('a');
    assert.ok(isConditionTrue(foo, 'Ready'));
    assert.equal(foo.status?.phase, 'Progressing');
    world.bank.failure = undefined;
    await world.ready('a');
  });

  it('keeps the Secret of a service that is not ready for a while', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    const { status } = await world.ready('a');
    world.bank.isAway = true;
    await world.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'reconcile' } } });
    assert.equal(await world.says('a', 'Ready', 'Reconciling'), 'The bank has a break.');
    const name = status?.connectionSecretRef?.name ?? '';
    await world.landscape.onboarding.get({ group: '', version: 'v1', plural: 'secrets', namespace: 'default', name });
    assert.equal((await world.get('a')).status?.connectionSecretRef?.name, name);
  });

  it('follows a change of the configuration', async () => {
    await using world = await startFooWorld({ controlPlanes: { a: 'mcp-a', b: 'mcp-b' } });
    await world.create('a');
    await world.create('b');
    await Promise.all([world.ready('a'), world.ready('b')]);
    const before = await settledPasses(world);
    const body = { spec: { greeting: 'ahoy' } };
    await world.landscape.platform.patch({ ...fooConfigs.ref, name: 'foo' }, { type: 'merge', body });
    for (const name of ['a', 'b']) {
      const namespace = instanceNamespaceOf('Foo', { namespace: 'default', name });
      await eventually(async () => {
        const { data } = await world.landscape.workload.get({ ...configMap, namespace });
        return (data as { greeting: string }).greeting === 'ahoy';
      });
    }
    await Promise.all([world.ready('a'), world.ready('b')]);
    await eventually(async () => (await world.passes()).all - before.all >= 2);
    // One for the change, and at most one more for what the change moved.
    const { all } = await settledPasses(world);
    assert.ok(all - before.all <= 4, `${all - before.all} passes over two objects`);
  });

  it('has a place of its own for each tenant', async () => {
    await using world = await startFooWorld({ controlPlanes: { a: 'mcp-a', b: 'mcp-b' } });
    await world.create('a');
    await world.create('b', { size: 7 });
    await Promise.all([world.ready('a'), world.ready('b')]);
    assert.equal(world.bank.accounts.get(instanceIdOf({ namespace: 'default', name: 'b' }))?.size, 7);
    await world.remove('a');
    await world.gone('a');
    const other = instanceNamespaceOf('Foo', { namespace: 'default', name: 'b' });
    await world.landscape.workload.get({ ...configMap, namespace: other });
    assert.equal((await world.get('b')).status?.phase, 'Ready');
  });

  it('goes on with new credentials when they are renewed', async () => {
    await using world = await startFooWorld();
    await world.create('a');
    await world.ready('a');
    await world.landscape.rotate(tenantNamespace('default', 'a'), 'foo--a--wl');
    await world.landscape.workload.delete(configMap);
    await eventually(() => world.landscape.workload.get(configMap));
    assert.ok(world.landscape.connected.some(kubeconfig => kubeconfig.includes('salt: rotated')));
  });
});

type World = Awaited<ReturnType<typeof startFooWorld>>;

/** How many passes there were, once there are no more. */
async function settledPasses(world: World): Promise<Awaited<ReturnType<World['passes']>>> {
  for (;;) {
    const before = await world.passes();
    await sleep(300);
    if ((await world.passes()).all === before.all) return before;
  }
}
