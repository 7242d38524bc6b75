import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { accessRequests, clusterRequests, clusters, tenantNamespace } from '@chandlery/clusters/kinds';
import { eventually } from '@chandlery/testing';
import { type ControlPlane, controlPlaneConfigs, controlPlanes, retainedServices } from '../../kinds/index.ts';
import { refs } from '../../model/tenants/refs.ts';
import {
  foo,
  foos,
  isGone,
  offerFoos,
  releaseFoo,
  startTestTenants,
  type TestTenants,
  untilCondition,
} from '../tenants/test-landscape.ts';

const ready = { type: 'Ready', status: 'True' };
const namespace = 'default';
const controlPlane = (name: string) => ({ ...controlPlanes.ref, namespace, name });
const place = (name: string): string => tenantNamespace(namespace, name);
const requestOf = (name: string) => ({ ...clusterRequests.ref, namespace: place(name), name });
const adminAccess = (name: string) => ({ ...accessRequests.ref, namespace: place(name), name: `${name}--token-admin` });
const adminSecret = (name: string) => ({ ...refs.secrets, namespace, name: `token-admin.${name}.kubeconfig` });

async function make({ onboarding }: TestTenants, name: string, spec: ControlPlane['spec'] = {}): Promise<ControlPlane> {
  await onboarding.create(controlPlane(name), controlPlanes.object({ name, namespace }, spec));
  return untilCondition<ControlPlane>(onboarding, controlPlane(name), ready);
}

const dataOf = async (client: Client, ref: Parameters<Client['get']>[0]): Promise<Record<string, string>> =>
  (await client.get<KubeObject & { data: Record<string, string> }>(ref)).data;

const condition = (type: string, reason: string) => ({ type, status: 'False', reason });

describe('A control plane', () => {
  it('gets a namespace, a cluster and access of its own', async () => {
    await using tenants = await startTestTenants();
    const { platform, onboarding } = tenants;
    const a = await make(tenants, 'a');
    assert.equal(a.status?.phase, 'Ready');
    assert.deepEqual(a.status.endpoints, [{ name: 'apiserver-external', url: `https://${place('a')}` }]);
    assert.deepEqual(a.status.access, { token_admin: { name: 'token-admin.a.kubeconfig' } });
    assert.deepEqual(a.metadata.finalizers?.toSorted(), ['core.openmcp.cloud/mcp', 'request.clusters.openmcp.cloud/a']);
    const types = a.status.conditions?.map(({ type }) => type) ?? [];
    for (const type of ['Meta', 'ClusterRequestReady', 'ClusterConditionsSynced', 'Cluster.Ready'])
      assert.ok(types.includes(type), type);
    assert.ok(types.includes('AccessReady.token_admin') && types.includes('AllAccessReady'));

    const request = await platform.get(requestOf('a'));
    assert.deepEqual(request['spec'], { purpose: 'mcp' });
    assert.equal(request.metadata.labels?.['metadata.open-control-plane.io/cp-name'], 'a');
    const { labels } = (await platform.get({ ...refs.namespaces, name: place('a') })).metadata;
    assert.equal(labels?.['core.openmcp.cloud/mcp-name'], 'a');
    const binding = { ...refs.roleBindings, namespace: place('a'), name: 'chandlery:providers' };
    assert.deepEqual((await platform.get(binding))['subjects'], [
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts:openmcp-system' },
    ]);
    assert.deepEqual(await dataOf(onboarding, adminSecret('a')), { kubeconfig: btoa('access a--token-admin') });

    const b = await make(tenants, 'b');
    assert.notDeepEqual(b.status?.endpoints, a.status.endpoints);
    assert.notEqual(place('a'), place('b'));
  });

  it('says what it waits for', async () => {
    await using tenants = await startTestTenants();
    const { onboarding, clusters: scripted } = tenants;
    const releaseClusters = scripted.holdGrants('clusterrequests');
    const releaseAccess = scripted.holdGrants('accessrequests');
    await onboarding.create(controlPlane('a'), controlPlanes.object({ name: 'a', namespace }, {}));
    await untilCondition(onboarding, controlPlane('a'), condition('ClusterRequestReady', 'WaitingForClusterRequest'));
    await tenants.restart();
    releaseClusters();
    const waiting = condition('AccessReady.token_admin', 'WaitingForAccessRequest');
    const { status } = await untilCondition<ControlPlane>(onboarding, controlPlane('a'), waiting);
    assert.equal(status?.phase, 'Progressing');
    releaseAccess();
    await untilCondition(onboarding, controlPlane('a'), ready);
  });

  it('keeps its access true when it is rotated, tampered with, or lost', async () => {
    await using tenants = await startTestTenants();
    const { platform, onboarding } = tenants;
    await make(tenants, 'a');
    const source = { ...refs.secrets, namespace: place('a'), name: 'a--token-admin.kubeconfig' };
    const kubeconfig = btoa('renewed');
    await platform.patch(source, { type: 'merge', body: { data: { kubeconfig } } });
    const isTrue = async (): Promise<boolean> => {
      const { labels = {}, ownerReferences = [] } = (await onboarding.get(adminSecret('a'))).metadata;
      const data = await dataOf(onboarding, adminSecret('a'));
      return (
        data['kubeconfig'] === kubeconfig &&
        Object.keys(data).length === 1 &&
        Object.keys(labels).length > 3 &&
        ownerReferences.length === 1
      );
    };
    await eventually(isTrue);
    const evil = { data: { kubeconfig: btoa('evil'), more: btoa('more') } };
    await onboarding.patch(adminSecret('a'), { type: 'merge', body: evil });
    await eventually(isTrue);
    await onboarding.patch(adminSecret('a'), { type: 'merge', body: { metadata: { labels: null } } });
    await eventually(isTrue);
    await onboarding.delete(adminSecret('a'));
    await eventually(isTrue);
    await platform.delete(adminAccess('a'));
    await eventually(
      async () => (await dataOf(onboarding, adminSecret('a')))['kubeconfig'] === btoa('access a--token-admin'),
    );
  });

  it('gives the access that is asked for, and takes back what no longer is', async () => {
    await using tenants = await startTestTenants();
    const { platform, onboarding } = tenants;
    const provider = { name: 'corp', issuer: 'https://corp', clientID: 'landscape' };
    const config = { ...controlPlaneConfigs.ref, name: 'default' };
    await platform.patch(config, { type: 'merge', body: { spec: { defaultOIDCProvider: provider } } });
    const roleBindings = [
      {
        subjects: [{ kind: 'User' as const, name: 'anne' }],
        roleRefs: [{ kind: 'ClusterRole' as const, name: 'view' }],
      },
    ];
    const iam = { tokens: [{ name: 'ci_bot' }, { name: 'old' }], oidc: { defaultProvider: { roleBindings } } };
    const a = await make(tenants, 'a', { iam });
    assert.deepEqual(
      Object.entries(a.status?.access ?? {})
        .map(([id, { name }]) => `${id} ${name}`)
        .toSorted(),
      [
        'oidc_corp oidc-corp.a.kubeconfig',
        'token_ci_bot token-ci-bot.a.kubeconfig',
        'token_old token-old.a.kubeconfig',
      ],
    );
    const oidc = await platform.get<KubeObject & { spec: { oidc: { roleBindings: unknown; issuer: string } } }>({
      ...accessRequests.ref,
      namespace: place('a'),
      name: 'a--oidc-corp',
    });
    assert.deepEqual(oidc.spec.oidc.roleBindings, roleBindings);

    await onboarding.patch(controlPlane('a'), {
      type: 'merge',
      body: { spec: { iam: { tokens: [{ name: 'ci_bot' }] } } },
    });
    await eventually(() => isGone(onboarding, { ...refs.secrets, namespace, name: 'token-old.a.kubeconfig' }));
    await eventually(() => isGone(platform, { ...accessRequests.ref, namespace: place('a'), name: 'a--token-old' }));
    await eventually(async () => {
      const { status } = await onboarding.get<ControlPlane>(controlPlane('a'));
      return (
        status?.access?.['token_old'] === undefined &&
        !status?.conditions?.some(({ type }) => type.endsWith('token_old'))
      );
    });
  });

  it('shows how its cluster is, and is repaired when its parts are lost', async () => {
    await using tenants = await startTestTenants();
    const { platform, onboarding } = tenants;
    const spec = { exposedEndpoints: [{ name: 'apiserver-external', renameTo: 'api' }] };
    await platform.patch({ ...controlPlaneConfigs.ref, name: 'default' }, { type: 'merge', body: { spec } });
    const a = await make(tenants, 'a');
    assert.deepEqual(
      a.status?.endpoints?.map(({ name }) => name),
      ['api'],
    );
    const cluster = { ...clusters.ref, namespace: 'default', name: place('a') };
    const live = await platform.get<KubeObject & { status: { conditions: object[] } }>(cluster);
    const sick = { type: 'Ready', status: 'False', reason: 'Sick', message: 'It has a cold.' };
    live.status.conditions = [sick];
    await platform.update({ ...cluster, subresource: 'status' }, live);
    await untilCondition(onboarding, controlPlane('a'), condition('Cluster.Ready', 'Sick'));
    await untilCondition(onboarding, controlPlane('a'), condition('Ready', 'Sick'));
    live.status.conditions = [{ ...sick, status: 'True' }];
    live.metadata = (await platform.get(cluster)).metadata;
    await platform.update({ ...cluster, subresource: 'status' }, live);
    await untilCondition(onboarding, controlPlane('a'), ready);

    const { uid } = (await platform.get(requestOf('a'))).metadata;
    await platform.delete(requestOf('a'));
    await eventually(async () => (await platform.get(requestOf('a'))).metadata.uid !== uid);
    await platform.delete({ ...refs.namespaces, name: place('a') });
    await eventually(async () => {
      const { labels, deletionTimestamp } = (await platform.get({ ...refs.namespaces, name: place('a') })).metadata;
      return deletionTimestamp === undefined && labels?.['core.openmcp.cloud/mcp-name'] === 'a';
    });
    await untilCondition(onboarding, controlPlane('a'), ready);
  });

  it('leaves a namespace of another owner alone', async () => {
    await using tenants = await startTestTenants();
    const { platform, onboarding } = tenants;
    const name = place('a');
    await platform.create(refs.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await onboarding.create(controlPlane('a'), controlPlanes.object({ name: 'a', namespace }, {}));
    await untilCondition(onboarding, controlPlane('a'), condition('Meta', 'ConfigurationProblem'));
    await onboarding.delete(controlPlane('a'));
    await eventually(() => isGone(onboarding, controlPlane('a')));
    assert.equal((await platform.get({ ...refs.namespaces, name })).metadata.deletionTimestamp, undefined);
  });

  it('asks for no cluster of the landscape itself, and leaves a request alone that is not its own', async () => {
    await using tenants = await startTestTenants();
    const { platform, onboarding } = tenants;
    const labels = { 'core.openmcp.cloud/purpose': 'platform' };
    await onboarding.create(controlPlane('a'), controlPlanes.object({ name: 'a', namespace, labels }, {}));
    await untilCondition(onboarding, controlPlane('a'), condition('ClusterRequestReady', 'ConfigurationProblem'));
    assert.deepEqual((await platform.list(clusterRequests.ref)).items, []);
    const foreign = clusterRequests.object({ name: 'a', namespace: place('a') }, { purpose: 'mcp' });
    await platform.create(requestOf('a'), foreign);
    await untilCondition(onboarding, controlPlane('a'), condition('ClusterRequestReady', 'ClusterConflict'));
    await onboarding.delete(controlPlane('a'));
    await eventually(() => isGone(onboarding, controlPlane('a')));
  });

  it('goes stage by stage, whenever its controller is restarted, and leaves nothing behind', async () => {
    await using tenants = await startTestTenants();
    const { platform, onboarding, clusters: scripted } = tenants;
    await offerFoos(tenants);
    await make(tenants, 'a');
    const service = { ...foos, namespace, name: 'a' };
    await onboarding.create(service, foo(namespace, 'a'));
    const other = foo(namespace, 'other');
    await onboarding.create(
      { ...service, name: 'other' },
      { ...other, metadata: { ...other.metadata, finalizers: [] } },
    );
    const labels = { 'core.openmcp.cloud/mcp-name': 'a', 'core.openmcp.cloud/mcp-namespace': namespace };
    const second = { ...requestOf('a'), name: 'second' };
    await platform.create(
      second,
      clusterRequests.object({ name: 'second', namespace: place('a'), labels }, { purpose: 'workload' }),
    );
    await eventually(async () => ((await platform.get(second)).metadata.finalizers ?? []).length > 0);
    const releaseAccess = scripted.holdDeletions('accessrequests');
    const releaseClusters = scripted.holdDeletions('clusterrequests');
    const guard = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'guard', namespace: place('a'), finalizers: ['example.com/guard'] },
    };
    const guardRef = { group: '', version: 'v1', plural: 'configmaps', namespace: place('a'), name: 'guard' };
    await platform.create(guardRef, guard);

    await onboarding.delete(controlPlane('a'));
    const { status } = await untilCondition<ControlPlane>(
      onboarding,
      controlPlane('a'),
      condition('AllServicesDeleted', 'WaitingForServiceDeletion'),
    );
    assert.equal(status?.phase, 'Terminating');
    assert.match(status.conditions?.find(({ type }) => type === 'Ready')?.message ?? '', /Foo "a"/);
    assert.ok((await onboarding.get(service)).metadata.deletionTimestamp);
    assert.equal((await onboarding.get(adminSecret('a'))).metadata.deletionTimestamp, undefined);
    await tenants.restart();

    await releaseFoo(onboarding, service);
    await untilCondition(onboarding, controlPlane('a'), condition('AllAccessReady', 'WaitingForAccessRequestDeletion'));
    assert.equal(await isGone(onboarding, adminSecret('a')), true);
    assert.equal((await platform.get(second)).metadata.deletionTimestamp, undefined);
    await tenants.restart();

    releaseAccess();
    await untilCondition(
      onboarding,
      controlPlane('a'),
      condition('AllClusterRequestsDeleted', 'WaitingForClusterRequestDeletion'),
    );
    assert.ok((await platform.get(second)).metadata.deletionTimestamp);
    assert.equal((await platform.get(requestOf('a'))).metadata.deletionTimestamp, undefined);
    await tenants.restart();

    releaseClusters();
    await untilCondition(onboarding, controlPlane('a'), condition('Meta', 'WaitingForNamespaceDeletion'));
    assert.equal(await isGone(platform, requestOf('a')), true);
    await tenants.restart();

    await platform.patch(guardRef, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await eventually(() => isGone(onboarding, controlPlane('a')));
    assert.equal(await isGone(platform, { ...refs.namespaces, name: place('a') }), true);
    assert.deepEqual((await platform.list(accessRequests.ref)).items, []);
    assert.deepEqual((await platform.list(clusterRequests.ref)).items, []);
    const secrets = (await onboarding.list({ ...refs.secrets, namespace })).items;
    assert.deepEqual(
      secrets.filter(({ metadata }) => metadata.name?.endsWith('.kubeconfig')),
      [],
    );
    assert.equal((await onboarding.get({ ...service, name: 'other' })).metadata.deletionTimestamp, undefined);
  });

  for (const { why, claim } of [
    { why: 'whose provider says that it uses no control plane', claim: { usesControlPlane: false } },
    { why: 'whose provider has requested no access to it', claim: {} },
  ]) {
    it(`does not delete a service of its name ${why}`, async () => {
      await using tenants = await startTestTenants();
      const { onboarding } = tenants;
      await offerFoos(tenants, claim);
      await make(tenants, 'a');
      const service = { ...foos, namespace, name: 'a' };
      await onboarding.create(service, foo(namespace, 'a'));
      const listed = { type: 'ServicesListed', status: 'True', reason: 'NoServices' };
      await untilCondition(onboarding, controlPlane('a'), listed);
      await onboarding.delete(controlPlane('a'));
      await eventually(() => isGone(onboarding, controlPlane('a')));
      assert.equal((await onboarding.get(service)).metadata.deletionTimestamp, undefined);
    });
  }

  it('shows which services would be deleted with it, and deletes those whose provider has requested access', async () => {
    await using tenants = await startTestTenants();
    const { platform, onboarding } = tenants;
    await offerFoos(tenants, {});
    await make(tenants, 'a');
    const service = { ...foos, namespace, name: 'a' };
    await onboarding.create(service, foo(namespace, 'a'));
    const labels = { 'openmcp.cloud/managed-by': 'foo' };
    const access = accessRequests.object(
      { name: 'foo--a--mcp', namespace: place('a'), labels },
      { requestRef: { name: 'a', namespace: place('a') }, token: { permissions: [] } },
    );
    await platform.create({ ...accessRequests.ref, namespace: place('a') }, access);
    const found = { type: 'ServicesListed', status: 'True', reason: 'ServicesFound' };
    const shown = await untilCondition<ControlPlane>(onboarding, controlPlane('a'), found);
    assert.deepEqual(shown.status?.services, [{ apiVersion: `${foos.group}/${foos.version}`, kind: 'Foo', name: 'a' }]);
    const { message } = shown.status?.conditions?.find(({ type }) => type === 'ServicesListed') ?? {};
    assert.equal(message, 'Deleting this control plane deletes Foo "a".');
    await onboarding.delete(controlPlane('a'));
    await untilCondition(onboarding, controlPlane('a'), condition('AllServicesDeleted', 'WaitingForServiceDeletion'));
    assert.ok((await onboarding.get(service)).metadata.deletionTimestamp);
    await releaseFoo(onboarding, service);
    await platform.delete({ ...accessRequests.ref, namespace: place('a'), name: 'foo--a--mcp' });
    await eventually(() => isGone(onboarding, controlPlane('a')));
  });

  it('does not wait for services whose kind is no longer there', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await offerFoos(tenants);
    await make(tenants, 'a');
    const service = { ...foos, namespace, name: 'a' };
    await onboarding.create(service, foo(namespace, 'a'));
    await onboarding.delete(controlPlane('a'));
    await untilCondition(onboarding, controlPlane('a'), condition('AllServicesDeleted', 'WaitingForServiceDeletion'));
    await onboarding.delete({ ...refs.customResourceDefinitions, name: `${foos.plural}.${foos.group}` });
    await releaseFoo(onboarding, service);
    await eventually(() => isGone(onboarding, controlPlane('a')));
  });

  it('waits for services that were let go and still need it, and names them', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await make(tenants, 'a');
    const retained = { ...retainedServices.ref, namespace, name: 'foo-a' };
    const service = { group: 'foo.example.org', kind: 'Foo', name: 'a' };
    const spec = { provider: 'foo', service, controlPlane: 'a' };
    await onboarding.create(retained, retainedServices.object({ name: 'foo-a', namespace }, spec));
    await onboarding.delete(controlPlane('a'));
    const waiting = await untilCondition<ControlPlane>(
      onboarding,
      controlPlane('a'),
      condition('RetainedServicesEnded', 'RetainedServicesRemain'),
    );
    const { message } = waiting.status?.conditions?.find(({ type }) => type === 'RetainedServicesEnded') ?? {};
    assert.match(message ?? '', /RetainedService "foo-a"/);
    assert.equal(await isGone(tenants.platform, requestOf('a')), false);
    await onboarding.delete(retained);
    await eventually(() => isGone(onboarding, controlPlane('a')));
  });
});
