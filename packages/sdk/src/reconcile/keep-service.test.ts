import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { accessRequests, clusterRequests, tenantNamespace } from '@chandlery/clusters/kinds';
import { findCondition, isConditionTrue } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { connectionSecretName, instanceIdOf, instanceNamespaceOf } from '../model/names.ts';
import { startFooFixture } from '../test-foo-fixture.ts';
import { bars, fooConfigs } from '../test-provider.ts';

const identity = { namespace: 'default', name: 'a' };
const instance = instanceNamespaceOf('Foo', identity);
const configMap = { group: '', version: 'v1', plural: 'configmaps', namespace: instance, name: 'foo' };
const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

describe('A service object', () => {
  it('becomes ready when everything it stands for is there', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    const foo = await fixture.ready('a');
    assert.ok(isConditionTrue(foo, 'Synced') && isConditionTrue(foo, 'Ready'));
    const { data } = await fixture.landscape.workload.get(configMap);
    assert.deepEqual(data, { version: '1.0', greeting: 'hello' });
    const crd = await fixture.landscape.plane.connect('mcp-a').get({ ...crds, name: bars.crd.metadata.name ?? '' });
    assert.ok(isConditionTrue(crd, 'Established'));
    assert.deepEqual(fixture.bank.deeds, [`create ${instanceIdOf(identity)}`]);
    assert.deepEqual(foo.status?.resources?.map(({ kind }) => kind).sort(), [
      'ConfigMap',
      'CustomResourceDefinition',
      'Namespace',
    ]);
  });

  it('has its access requests in the namespace of its control plane', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    const namespace = tenantNamespace('default', 'a');
    const list = async (ref: typeof accessRequests.ref): Promise<readonly string[]> =>
      (await fixture.landscape.platform.list({ ...ref, namespace })).items.map(({ metadata }) => metadata.name ?? '');
    assert.deepEqual(await list(accessRequests.ref), ['foo--a--mcp', 'foo--a--wl']);
    assert.deepEqual(await list(clusterRequests.ref), ['a', 'foo--a--wl']);
  });

  it('gives its tenant a Secret to use the service', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    const foo = await fixture.ready('a');
    const name = connectionSecretName('Foo', 'a');
    assert.equal(foo.status?.connectionSecretRef?.name, name);
    const at = { group: '', version: 'v1', plural: 'secrets', namespace: 'default', name };
    const { data, metadata } = await fixture.landscape.onboarding.get(at);
    assert.deepEqual(data, { account: Buffer.from(instanceIdOf(identity)).toString('base64') });
    assert.equal(metadata.ownerReferences?.[0]?.uid, foo.metadata.uid);
  });

  it('reports what it waits for, and continues by itself', async () => {
    await using fixture = await startFooFixture({ controlPlanes: {} });
    await fixture.create('a');
    assert.match(await fixture.says('a', 'Ready', 'Reconciling'), /no control plane "a" in namespace "default"/);
    fixture.landscape.isGranting = false;
    await fixture.landscape.createControlPlane('default', 'a', 'mcp-a');
    await eventually(async () =>
      /AccessRequest .*foo--a--mcp, it is pending/.test(await fixture.says('a', 'Ready', 'Reconciling')),
    );
    fixture.landscape.isGranting = true;
    fixture.landscape.grantAll();
    await fixture.ready('a');
  });

  it('is not served before there is a configuration, and is when it comes', async () => {
    await using fixture = await startFooFixture();
    await fixture.landscape.platform.delete({ ...fooConfigs.ref, name: 'foo' });
    await fixture.create('a');
    assert.match(await fixture.says('a', 'Ready', 'Reconciling'), /No ProviderConfig named "foo"; create it/);
    await fixture.landscape.platform.create(fooConfigs.ref, fooConfigs.object({ name: 'foo' }, { versions: ['1.0'] }));
    await fixture.ready('a');
  });

  it('is repaired when another client changes its objects', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    await fixture.landscape.workload.patch(configMap, { type: 'merge', body: { data: { version: '0.1' } } });
    await eventually(
      async () => ((await fixture.landscape.workload.get(configMap))['data'] as { version: string }).version === '1.0',
    );
    await fixture.landscape.workload.delete(configMap);
    await eventually(() => fixture.landscape.workload.get(configMap));
    await eventually(async () => (await fixture.events('a')).includes('DriftRepaired'));
    await eventually(async () =>
      /chandlery_provider_drift_total\{kind="ConfigMap"\} 2/.test(await fixture.registry.render()),
    );
  });

  it('is left alone while it is ignored, and catches up afterwards', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    await fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } });
    await fixture.says('a', 'Paused', 'PausedByUser');
    await fixture.patch('a', { spec: { size: 5 } });
    await fixture.landscape.workload.patch(configMap, { type: 'merge', body: { data: { version: '0.1' } } });
    await fixture.create('b');
    await fixture.says('b', 'Ready', 'Reconciling');
    assert.equal(fixture.bank.accounts.get(instanceIdOf(identity))?.size, 1);
    assert.deepEqual((await fixture.landscape.workload.get(configMap))['data'], { version: '0.1', greeting: 'hello' });
    await fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': null } } });
    await eventually(() => fixture.bank.accounts.get(instanceIdOf(identity))?.size === 5);
    await fixture.ready('a');
    assert.deepEqual((await fixture.landscape.workload.get(configMap))['data'], { version: '1.0', greeting: 'hello' });
  });

  it('is looked at once more on request', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    fixture.bank.accounts.clear();
    await fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'reconcile' } } });
    await eventually(() => fixture.bank.accounts.size === 1);
    await eventually(
      async () => (await fixture.get('a')).metadata.annotations?.['openmcp.cloud/operation'] === undefined,
    );
    assert.deepEqual(fixture.bank.deeds.length, 2);
  });

  it('reports user errors and does not retry by itself', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a', { version: '9.9' });
    assert.match(await fixture.says('a', 'Ready', 'UserError'), /"9\.9" is not offered \(Choose one of 1\.0, 1\.1\.\)/);
    assert.equal(findCondition(await fixture.get('a'), 'Synced')?.reason, 'TerminalError');
    const passes = await settledPasses(fixture);
    await fixture.create('b');
    await fixture.says('b', 'Ready', 'Reconciling');
    assert.ok((await fixture.passes()).terminal === passes.terminal);
    await fixture.patch('a', { spec: { version: '1.1' } });
    await fixture.ready('a');
  });

  it('keeps what works when something fails for a while', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    fixture.bank.failure = new Error('the bank is closed');
    fixture.bank.accounts.clear();
    await fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'reconcile' } } });
    assert.match(await fixture.says('a', 'Synced', 'ReconcileError'), /the bank is closed/);
    const foo = await fixture.get('a');
    assert.ok(isConditionTrue(foo, 'Ready'));
    assert.equal(foo.status?.phase, 'Progressing');
    fixture.bank.failure = undefined;
    await fixture.ready('a');
  });

  it('keeps the Secret of a service that is not ready for a while', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    const { status } = await fixture.ready('a');
    fixture.bank.isAway = true;
    await fixture.patch('a', { metadata: { annotations: { 'openmcp.cloud/operation': 'reconcile' } } });
    assert.equal(await fixture.says('a', 'Ready', 'Reconciling'), 'The bank has a break.');
    const name = status?.connectionSecretRef?.name ?? '';
    await fixture.landscape.onboarding.get({ group: '', version: 'v1', plural: 'secrets', namespace: 'default', name });
    assert.equal((await fixture.get('a')).status?.connectionSecretRef?.name, name);
  });

  it('follows a change of the configuration', async () => {
    await using fixture = await startFooFixture({ controlPlanes: { a: 'mcp-a', b: 'mcp-b' } });
    await fixture.create('a');
    await fixture.create('b');
    await Promise.all([fixture.ready('a'), fixture.ready('b')]);
    const before = await settledPasses(fixture);
    const body = { spec: { greeting: 'ahoy' } };
    await fixture.landscape.platform.patch({ ...fooConfigs.ref, name: 'foo' }, { type: 'merge', body });
    for (const name of ['a', 'b']) {
      const namespace = instanceNamespaceOf('Foo', { namespace: 'default', name });
      await eventually(async () => {
        const { data } = await fixture.landscape.workload.get({ ...configMap, namespace });
        return (data as { greeting: string }).greeting === 'ahoy';
      });
    }
    await Promise.all([fixture.ready('a'), fixture.ready('b')]);
    await eventually(async () => (await fixture.passes()).all - before.all >= 2);
    // One reconcile for the change, and at most one more for its effects.
    const { all } = await settledPasses(fixture);
    assert.ok(all - before.all <= 4, `${all - before.all} passes over two objects`);
  });

  it('has a place of its own for each tenant', async () => {
    await using fixture = await startFooFixture({ controlPlanes: { a: 'mcp-a', b: 'mcp-b' } });
    await fixture.create('a');
    await fixture.create('b', { size: 7 });
    await Promise.all([fixture.ready('a'), fixture.ready('b')]);
    assert.equal(fixture.bank.accounts.get(instanceIdOf({ namespace: 'default', name: 'b' }))?.size, 7);
    await fixture.remove('a');
    await fixture.gone('a');
    const other = instanceNamespaceOf('Foo', { namespace: 'default', name: 'b' });
    await fixture.landscape.workload.get({ ...configMap, namespace: other });
    assert.equal((await fixture.get('b')).status?.phase, 'Ready');
  });

  it('continues with new credentials when they are renewed', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    await fixture.landscape.rotate(tenantNamespace('default', 'a'), 'foo--a--wl');
    await fixture.landscape.workload.delete(configMap);
    await eventually(() => fixture.landscape.workload.get(configMap));
    assert.ok(fixture.landscape.connected.some(kubeconfig => kubeconfig.includes('salt: rotated')));
  });
});

type Fixture = Awaited<ReturnType<typeof startFooFixture>>;

/** The number of reconciles, once it no longer grows. */
async function settledPasses(fixture: Fixture): Promise<Awaited<ReturnType<Fixture['passes']>>> {
  for (;;) {
    const before = await fixture.passes();
    await sleep(300);
    if ((await fixture.passes()).all === before.all) return before;
  }
}
