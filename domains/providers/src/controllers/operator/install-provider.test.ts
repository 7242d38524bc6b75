import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { formatMicroTime, type KubeObject } from '@chandlery/api';
import { accessRequests, clusterRequests, clusters } from '@chandlery/clusters/kinds';
import { systemClock } from '@chandlery/platform';
import { findCondition, installKinds } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { clusterProviders, type Provider, platformServices } from '../../kinds/index.ts';
import { fooDefinitions } from './test-foo-kinds.ts';
import {
  findMade,
  foo,
  fooProvider,
  fooRef,
  foos,
  isGone,
  startTestOperator,
  systemRef,
  type TestOperator,
} from './test-operator.ts';

const deployment = { ...systemRef('apps', 'deployments'), name: 'sp-foo' };
const job = { ...systemRef('batch', 'jobs'), name: 'sp-foo-init' };
const service = { ...systemRef('', 'services'), name: 'sp-foo-metrics' };

const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const clusterRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };

const reasons = ({ platform }: TestOperator): Promise<string[]> =>
  platform
    .list<KubeObject & { reason?: string }>({ group: '', version: 'v1', plural: 'events', namespace: 'default' })
    .then(({ items }) => items.map(({ reason = '' }) => reason).sort());

describe('A service provider', () => {
  it('is installed, then run, and says what it serves', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider());
    const { metadata, status } = await fixture.waitFor('Ready', 'ProviderReady');
    assert.deepEqual(metadata.finalizers, ['openmcp.cloud/finalizer']);
    assert.equal(status?.phase, 'Ready');
    assert.deepEqual(status?.resources, [{ group: foos.group, version: 'v1', kind: 'Foo' }]);
    assert.deepEqual(status?.metrics, { serviceRef: { name: 'sp-foo-metrics', namespace: 'openmcp-system' } });
    const stated = status?.conditions?.map(({ type, status: is }) => `${type}=${is}`);
    assert.deepEqual(stated, ['APIReady=True', 'Initialized=True', 'Ready=True', 'RunReady=True', 'Synced=True']);
    await eventually(async () => {
      assert.deepEqual(await reasons(fixture), ['InitCompleted', 'InitStarted', 'ProviderReady']);
      return true;
    });
  });

  it('says that nothing runs it where local clusters are off, and is ready once it was installed elsewhere', async () => {
    await using fixture = await startTestOperator(systemClock, false);
    await fixture.platform.create(fooRef, fooProvider());
    const waiting = await fixture.waitFor('Initialized', 'NoNode');
    assert.match(findCondition(waiting, 'Initialized')?.message ?? '', /Local clusters are off/);
    const { api, config } = fooDefinitions('foo');
    await installKinds(fixture.platform, [config], { fieldManager: 'init' });
    await installKinds(fixture.onboarding, [api], { fieldManager: 'init' });
    const resources = [{ group: foos.group, version: 'v1', kind: 'Foo' }];
    await fixture.platform.patch(
      { ...fooRef, subresource: 'status' },
      { type: 'merge', body: { status: { resources } } },
    );
    const ready = await fixture.waitFor('Ready', 'ProviderReady');
    assert.equal(findCondition(ready, 'RunReady')?.reason, 'RunsElsewhere');

    const leases = systemRef('coordination.k8s.io', 'leases');
    const metadata = { name: 'foo-liveness', labels: { 'openmcp.cloud/managed-by': 'foo' } };
    const spec = { holderIdentity: 'host-1', leaseDurationSeconds: 1, renewTime: formatMicroTime(new Date()) };
    await fixture.platform.create(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
    const stopped = await fixture.waitFor('RunReady', 'NotRunning');
    assert.equal(findCondition(stopped, 'Ready')?.status, 'False');
    await fixture.platform.delete(fooRef);
    await eventually(() => isGone(fixture.platform, { ...leases, name: 'foo-liveness' }));
  });

  it('shows why its init failed, and is neither run nor ready', async () => {
    await using fixture = await startTestOperator();
    fixture.kubelet.init = 'fail';
    fixture.kubelet.log = 'reading config\nerror: no such registry\n';
    await fixture.platform.create(fooRef, fooProvider());
    const provider = await fixture.waitFor('Initialized', 'InitFailed');
    assert.equal(
      findCondition(provider, 'Initialized')?.message,
      'Init failed (BackoffLimitExceeded: Job has reached the specified backoff limit): no such registry; see the log of job sp-foo-init.',
    );
    assert.equal(findCondition(provider, 'Ready')?.reason, 'ProviderInstallationFailed');
    assert.equal(provider.status?.phase, 'Failed');
    await fixture.restart();
    await fixture.platform.patch(fooRef, { type: 'merge', body: { metadata: { labels: { look: 'again' } } } });
    assert.equal(fixture.kubelet.inits, 1);
    assert.ok(await isGone(fixture.platform, deployment));
  });

  it('shows why its container fails again and again', async () => {
    await using fixture = await startTestOperator();
    fixture.kubelet.crash = 'Error: no such database';
    await fixture.platform.create(fooRef, fooProvider());
    const provider = await fixture.waitFor('RunReady', 'RolloutFailed');
    assert.equal(provider.status?.phase, 'Failed');
    assert.equal(
      findCondition(provider, 'Ready')?.message,
      'Deployment sp-foo is not ready: its container failed (exit code 1): no such database; see its pods.',
    );
  });

  it('is installed again on request after a failure', async () => {
    await using fixture = await startTestOperator();
    fixture.kubelet.init = 'fail';
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Initialized', 'InitFailed');
    fixture.kubelet.init = 'hang';
    const annotations = { 'openmcp.cloud/operation': 'reconcile' };
    await fixture.platform.patch(fooRef, { type: 'merge', body: { metadata: { annotations } } });
    await eventually(() => fixture.kubelet.inits === 2);
    const trying = await fixture.get();
    assert.equal(trying.metadata.annotations?.['openmcp.cloud/operation'], undefined);
    assert.equal(findCondition(trying, 'Initialized')?.reason, 'InitFailed', 'the failure stays visible meanwhile');
  });

  it('is installed again by itself after a long pause, without hiding the failure', async () => {
    let aheadMs = 0;
    await using fixture = await startTestOperator({ now: () => new Date(Date.now() + aheadMs) });
    const lookAgain = (why: string) =>
      fixture.platform.patch(fooRef, { type: 'merge', body: { metadata: { labels: { why } } } });
    fixture.kubelet.init = 'fail';
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Initialized', 'InitFailed');
    fixture.kubelet.init = 'hang';
    aheadMs = 4 * 60_000;
    await lookAgain('too-early');
    aheadMs = 6 * 60_000;
    await lookAgain('due');
    await eventually(() => fixture.kubelet.inits === 2);
    assert.equal(findCondition(await fixture.get(), 'Initialized')?.reason, 'InitFailed');
  });

  it('says that its init has failed while that is tried again', async () => {
    await using fixture = await startTestOperator();
    fixture.kubelet.init = 'hang';
    fixture.kubelet.log = 'no connection';
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Initialized', 'InitRunning');
    await fixture.platform.patch({ ...job, subresource: 'status' }, { type: 'merge', body: { status: { failed: 2 } } });
    const shown = await fixture.waitFor('Initialized', 'InitFailed');
    const { message = '' } = findCondition(shown, 'Initialized') ?? {};
    assert.match(message, /tried again; see job sp-foo-init, whose log ends with:\nno connection/);
  });

  it('says what keeps its init from beginning', async () => {
    await using fixture = await startTestOperator();
    fixture.kubelet.init = 'hang';
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Initialized', 'InitRunning');
    const pods = { group: '', version: 'v1', plural: 'pods', namespace: 'openmcp-system' };
    const { items } = await eventually(async () => {
      const list = await fixture.platform.list(pods);
      return list.items.length > 0 && list;
    });
    const waiting = { name: 'init', image: 'foo:none', state: { waiting: { reason: 'ErrImagePull' } } };
    const pod = { ...pods, name: items[0]?.metadata.name ?? '', subresource: 'status' };
    await fixture.platform.patch(pod, { type: 'merge', body: { status: { containerStatuses: [waiting] } } });
    await eventually(async () => {
      const { message = '' } = findCondition(await fixture.get(), 'Initialized') ?? {};
      return message === 'Init cannot begin: its image "foo:none" cannot be had; see job sp-foo-init.';
    });
  });

  it('says so when its init job cannot be created', async () => {
    await using fixture = await startTestOperator();
    const pod = { containers: [{ name: 'x', image: 'x' }], restartPolicy: 'Never' };
    const metadata = { name: 'sp-foo-init', namespace: 'openmcp-system' };
    await fixture.platform.create(job, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: { template: { spec: pod } },
    });
    await fixture.platform.create(fooRef, fooProvider());
    const provider = await fixture.waitFor('Initialized', 'InitJobCreationFailed');
    assert.equal(findCondition(provider, 'Ready')?.reason, 'ProviderInstallationFailed');
  });

  it('is not written again when nothing has changed', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Ready', 'ProviderReady');
    // The role is extended once the operator has seen the kinds that init installed.
    const role = { ...clusterRoles, name: 'chandlery:sp-foo' };
    await eventually(async () => JSON.stringify(await fixture.platform.get(role)).includes('"providerconfigs"'));
    const versions = async (): Promise<unknown> =>
      [await fixture.get(), ...(await findMade(fixture))].map(({ metadata }) => [
        metadata.name,
        metadata.resourceVersion,
      ]);
    const before = await versions();
    await fixture.restart();
    await fixture.platform.create(fooRef, fooProvider({}, 'later-init'));
    await fixture.waitFor('Synced', 'TerminalError', 'later-init');
    assert.deepEqual(await versions(), before);
  });

  it('is installed again for each new generation, and only then', async () => {
    await using fixture = await startTestOperator();
    fixture.kubelet.init = 'fail';
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Initialized', 'InitFailed');
    fixture.kubelet.init = 'succeed';
    await fixture.platform.patch(fooRef, { type: 'merge', body: { spec: { image: 'foo:2' } } });
    await fixture.waitFor('Ready', 'ProviderReady');
    await fixture.restart();
    await fixture.platform.patch(fooRef, { type: 'merge', body: { spec: { image: 'foo:3' } } });
    const image = async (): Promise<unknown> => {
      const live = await fixture.platform.get<
        KubeObject & { spec?: { template: { spec: { containers: { image: string }[] } } } }
      >(deployment);
      return live.spec?.template.spec.containers[0]?.image;
    };
    await eventually(async () => (await image()) === 'foo:3');
    await fixture.waitFor('Ready', 'ProviderReady');
    assert.equal(fixture.kubelet.inits, 3);
  });

  it('is rejected when it sets a predefined variable', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider({ env: [{ name: 'POD_IP', value: '1.2.3.4' }] }));
    const provider = await fixture.waitFor('Synced', 'TerminalError');
    assert.match(findCondition(provider, 'Ready')?.message ?? '', /spec\.env sets POD_IP/);
    assert.ok(await isGone(fixture.platform, job));
  });

  it('is left alone while it is ignored, and says so', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Ready', 'ProviderReady');
    const annotate = (operation: string | null) =>
      fixture.platform.patch(fooRef, {
        type: 'merge',
        body: { metadata: { annotations: { 'openmcp.cloud/operation': operation } }, spec: { image: 'foo:2' } },
      });
    await annotate('ignore');
    await fixture.waitFor('Paused', 'PausedByUser');
    assert.equal(fixture.kubelet.inits, 1);
    await annotate(null);
    await fixture.waitFor('Paused', 'Resumed');
    await eventually(() => fixture.kubelet.inits === 2);
  });

  it('gets back what is deleted of it, and what is changed', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Ready', 'ProviderReady');
    for (const ref of [
      deployment,
      service,
      { ...systemRef('', 'serviceaccounts'), name: 'sp-foo-init' },
      { ...systemRef('rbac.authorization.k8s.io', 'roles'), name: 'sp-foo' },
      { ...clusterRoles, plural: 'clusterrolebindings', name: 'chandlery:sp-foo' },
      { ...clusterRoles, name: 'chandlery:provider-in-tenant-namespace' },
    ]) {
      const { uid } = (await fixture.platform.get(ref)).metadata;
      await fixture.platform.delete(ref);
      await eventually(async () => (await fixture.platform.get(ref)).metadata.uid !== uid);
    }
    const role = { ...clusterRoles, name: 'chandlery:sp-foo' };
    const { rules } = await fixture.platform.get<KubeObject & { rules?: unknown }>(role);
    const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    await fixture.platform.patch(role, { type: 'merge', body: { rules: everything } });
    await eventually(async () => isDeepStrictEqual((await fixture.platform.get(role))['rules'], rules));
    await fixture.waitFor('Ready', 'ProviderReady');
    assert.equal(fixture.kubelet.inits, 1);
  });

  it('is not ready while its kind is not served, and can have it installed again', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Ready', 'ProviderReady');
    await fixture.stop();
    // The definition is not stored, as after an update from an older operator.
    const held = (await fixture.platform.list(systemRef('', 'configmaps'))).items;
    for (const { metadata } of held)
      await fixture.platform.delete({ ...systemRef('', 'configmaps'), name: metadata.name ?? '' });
    await fixture.onboarding.delete({ ...definitions, name: `foos.${foos.group}` });
    await fixture.restart();
    const provider = await fixture.waitFor('APIReady', 'KindsNotServed');
    assert.match(findCondition(provider, 'APIReady')?.message ?? '', /Foo \(foo\.services\.example\.org\/v1\)/);
    const annotations = { 'openmcp.cloud/operation': 'reconcile' };
    await fixture.platform.patch(fooRef, { type: 'merge', body: { metadata: { annotations } } });
    await fixture.waitFor('Ready', 'ProviderReady');
    await fixture.onboarding.create({ ...foos, namespace: 'default' }, foo('a'));
  });

  it('mounts certificates for webhooks once there are some', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider({ metrics: { disabled: true } as Provider['spec']['metrics'] }));
    const { status } = await fixture.waitFor('Ready', 'ProviderReady');
    assert.equal(status?.metrics, undefined);
    assert.ok(await isGone(fixture.platform, service));
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'foo-webhook-tls' } };
    await fixture.platform.create(systemRef('', 'secrets'), secret);
    await eventually(async () =>
      JSON.stringify(await fixture.platform.get(deployment)).includes('"secretName":"foo-webhook-tls"'),
    );
  });
});

describe('The account of a service provider', () => {
  it('may do its duty and no more', async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(fooRef, fooProvider());
    await fixture.waitFor('Ready', 'ProviderReady');
    fixture.kubelet.init = 'hang';
    await fixture.platform.create(fooRef, fooProvider({}, 'bar'));
    const account = (name: string) =>
      fixture.plane.connect('platform', {
        username: `system:serviceaccount:openmcp-system:${name}`,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:openmcp-system', 'system:authenticated'],
      });
    const client = account('sp-foo');
    const nothing = { type: 'merge', body: {} } as const;
    await client.list({ group: foos.group, version: 'v1', plural: 'providerconfigs' });
    await client.list(systemRef('', 'secrets'));
    for (const { ref } of [accessRequests, clusterRequests, clusters]) await client.list(ref);
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'foo' } };
    await client.create(systemRef('coordination.k8s.io', 'leases'), lease);
    await eventually(() => client.patch({ ...fooRef, subresource: 'status' }, nothing));
    const forbidden = { code: 'Forbidden' };
    await assert.rejects(client.patch({ ...fooRef, name: 'bar', subresource: 'status' }, nothing), forbidden);
    await assert.rejects(client.patch(fooRef, { type: 'merge', body: { spec: { image: 'mine' } } }), forbidden);
    await assert.rejects(client.list({ group: '', version: 'v1', plural: 'secrets', namespace: 'default' }), forbidden);
    await assert.rejects(client.list({ group: '', version: 'v1', plural: 'secrets' }), forbidden);
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'x' },
      rules: [],
    };
    await assert.rejects(client.create(clusterRoles, role), forbidden);

    const init = account('sp-foo-init');
    for (const { ref } of [accessRequests, clusterRequests]) await init.list(ref);
    const metadata = { name: 'foo--init', namespace: 'openmcp-system' };
    const request = clusterRequests.object(metadata, { purpose: 'onboarding' });
    await init.create({ ...clusterRequests.ref, namespace: 'openmcp-system' }, request);
    await installKinds(init, [fooDefinitions('foo').config], { fieldManager: 'init' });
    await init.patch({ ...fooRef, subresource: 'status' }, nothing);
    await assert.rejects(init.delete({ ...definitions, name: `foos.${foos.group}` }), forbidden);
    const elsewhere = { ...request, metadata: { ...metadata, namespace: 'default' } };
    await assert.rejects(init.create({ ...clusterRequests.ref, namespace: 'default' }, elsewhere), forbidden);
  });
});

for (const [prefix, kind] of [
  ['cp', clusterProviders],
  ['ps', platformServices],
] as const) {
  it(`A ${kind.kind} is installed and run without kinds for tenants`, async () => {
    await using fixture = await startTestOperator();
    await fixture.platform.create(kind.ref, kind.object({ name: 'bar' }, { image: 'bar:1' } as Provider['spec']));
    await eventually(async () => {
      const { status } = await fixture.platform.get<Provider>({ ...kind.ref, name: 'bar' });
      return status?.phase === 'Ready';
    });
    assert.equal(await isGone(fixture.platform, { ...systemRef('apps', 'deployments'), name: `${prefix}-bar` }), false);
  });
}
