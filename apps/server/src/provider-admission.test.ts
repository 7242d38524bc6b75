import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isError, type JsonObject, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { accessLabels } from '@chandlery/clusters';
import { accessRequests, clusterRequests } from '@chandlery/clusters/kinds';
import { createKernelClient, Kernel, openStore, soleLeader, type UserInfo } from '@chandlery/kernel';
import { managedByValue } from '@chandlery/providers';
import { accessRecords, projects, retainedServices, serviceProviders, workspaces } from '@chandlery/providers/kinds';
import { installKinds } from '@chandlery/runtime';
import { eventually, tempFolder } from '@chandlery/testing';
import { admissionBehaviours } from './admission.ts';
import { providerAdmission } from './provider-admission.ts';

const noCipher = { encrypt: (bytes: Uint8Array) => bytes, decrypt: (bytes: Uint8Array) => bytes };
const group = 'foo.services.example.org';
const finalizer = `${group}/finalizer`;
const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const foos = { group, version: 'v1', plural: 'foos', namespace: 'default' };
const longName = `foo-${'o'.repeat(70)}`;

const definition = (manager: string, kind = 'Foo'): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${kind.toLowerCase()}s.${group}`,
    labels: { 'openmcp.cloud/managed-by': manager },
    annotations: { 'openmcp.cloud/finalizers': '["odd.example/hold"]' },
  },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural: `${kind.toLowerCase()}s` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});
const foo = (name: string, finalizers: string[] = []): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Foo',
  metadata: { name, namespace: 'default', finalizers },
});

/** A tenant with every right on the onboarding cluster but for the masters', the account of a provider, and a person. */
const tenant: UserInfo = { username: 'anne', groups: ['system:authenticated'] };
const account: UserInfo = {
  username: 'system:serviceaccount:openmcp-access:foo',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:openmcp-access', 'system:authenticated'],
};
const admin: UserInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** Gives all rights to all authenticated users: what is rejected then is rejected by admission. */
async function allowEverything(client: Client): Promise<void> {
  const everything = {
    apiVersion: `${rbac.group}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'everything' },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  };
  await client.create({ ...rbac, plural: 'clusterroles' }, everything);
  await client.create(
    { ...rbac, plural: 'clusterrolebindings' },
    {
      apiVersion: `${rbac.group}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'everything' },
      roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: 'everything' },
      subjects: [{ apiGroup: rbac.group, kind: 'Group', name: 'system:authenticated' }],
    },
  );
}

describe('Where tenants and providers meet', () => {
  const stack = new AsyncDisposableStack();
  let kernel: Kernel;
  let onboarding: Client;
  let platform: Client;
  const as = (user: UserInfo, cluster = 'onboarding'): Client =>
    stack.use(createKernelClient(kernel, { cluster, user }));

  before(async () => {
    const folder = stack.use(await tempFolder());
    const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
    kernel = new Kernel({
      store,
      cipher: noCipher,
      leadership: soleLeader,
      behaviours: admissionBehaviours,
      admission: providerAdmission,
      onFailure: () => undefined,
    });
    stack.use(kernel);
    await kernel.start();
    onboarding = stack.use(createKernelClient(kernel, { cluster: 'onboarding' }));
    platform = stack.use(createKernelClient(kernel, { cluster: 'platform' }));
    await installKinds(platform, [serviceProviders.crd], { fieldManager: 'test' });
    const kinds = [projects.crd, workspaces.crd, definition('foo'), definition(managedByValue(longName), 'Long')];
    await installKinds(onboarding, kinds, { fieldManager: 'test' });
    await platform.create(serviceProviders.ref, serviceProviders.object({ name: 'foo' }, { image: 'foo' } as never));
    const long = serviceProviders.object({ name: longName }, { image: 'foo' } as never);
    await platform.create(serviceProviders.ref, long);
    await allowEverything(onboarding);
    await eventually(
      () =>
        as(tenant)
          .list(foos)
          .then(() => true),
      { what: 'the tenant to be let in' },
    );
  });
  after(() => stack.disposeAsync());

  const refused = (call: Promise<unknown>, message: RegExp): Promise<void> =>
    assert.rejects(call, error => isError(error, 'Forbidden') && message.test(error.message));
  const ref = (name: string) => ({ ...foos, name });
  const finalizersTo = (finalizers: string[]): JsonObject => ({ metadata: { finalizers } });

  const writes = (client: Client, name: string, finalizers: string[]): readonly (() => Promise<unknown>)[] => [
    () => client.patch(ref(name), { type: 'merge', body: finalizersTo(finalizers) }),
    () =>
      client.patch(ref(name), { type: 'json', body: [{ op: 'add', path: '/metadata/finalizers', value: finalizers }] }),
    async () => {
      const live = await client.get(ref(name));
      return client.update(ref(name), { ...live, metadata: { ...live.metadata, finalizers } });
    },
  ];

  it('a tenant can neither remove nor add finalizers of a provider, by any verb', async () => {
    await as(account).create(foos, foo('held', [finalizer, 'anne.example/own']));
    for (const write of writes(as(tenant), 'held', ['anne.example/own']))
      await refused(write(), /provider "foo" alone/);
    await as(tenant).create(foos, foo('free'));
    for (const write of writes(as(tenant), 'free', [finalizer])) await refused(write(), /provider "foo" alone/);
    const body = foo('free', ['odd.example/hold']);
    const apply = as(tenant).patch(ref('free'), { type: 'apply', body, force: true }, { fieldManager: 'anne' });
    await refused(apply, /odd\.example\/hold/);
    await refused(as(tenant).create(foos, foo('born', [finalizer])), /provider "foo" alone/);
  });

  it('a tenant cannot do so while the object is being deleted, and the provider can', async () => {
    await as(account).create(foos, foo('going', [finalizer]));
    await as(tenant).delete(ref('going'));
    for (const write of writes(as(tenant), 'going', [])) await refused(write(), /conditions of Foo "going"/);
    await as(account).patch(ref('going'), { type: 'merge', body: finalizersTo([]) });
    await assert.rejects(onboarding.get(ref('going')), error => isError(error, 'NotFound'));
  });

  it('a tenant may have finalizers of its own, and delete in the foreground', async () => {
    await as(tenant).create(foos, foo('own', ['anne.example/own']));
    await as(tenant).patch(ref('own'), { type: 'merge', body: finalizersTo([]) });
    await as(tenant).delete(ref('own'), { propagationPolicy: 'Foreground' });
  });

  it('a tenant cannot touch those of projects and namespaces', async () => {
    const at = { ...projects.ref, name: 'sea' };
    const member = { kind: 'User' as const, name: 'anne', roles: ['admin' as const] };
    const sea = projects.object({ name: 'sea', finalizers: ['core.openmcp.cloud'] }, { members: [member] });
    await onboarding.create(projects.ref, sea);
    await refused(as(tenant).patch(at, { type: 'merge', body: finalizersTo([]) }), /by the landscape alone/);
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
    await as(tenant).create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'project-sea' } });
    const home = { ...namespaces, name: 'project-sea' };
    const live = await onboarding.get(home);
    const emptied = { ...live, spec: { finalizers: [] } };
    await refused(as(tenant).update({ ...home, subresource: 'finalize' }, emptied), /"kubernetes".*landscape alone/);
  });

  it('no user gives a namespace to another tenant', async () => {
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
    const label = 'core.openmcp.cloud/project';
    const home = (labels: Record<string, string>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'project-pond', labels },
    });
    const relabel = (value: string | null) =>
      ({ type: 'merge', body: { metadata: { labels: { [label]: value } } } }) as const;
    const at = { ...namespaces, name: 'project-pond' };
    await refused(as(tenant).create(namespaces, home({ [label]: 'pond' })), /by the landscape alone/);
    await onboarding.create(namespaces, home({ [label]: 'pond' }));
    for (const value of ['sea', null]) await refused(as(tenant).patch(at, relabel(value)), /by the landscape alone/);
    await as(tenant).patch(at, { type: 'merge', body: { metadata: { labels: { team: 'red' } } } });
    await as(admin).patch(at, relabel('sea'));
  });

  it('the creator of a project can read it as soon as the creation is acknowledged, others cannot', async () => {
    for (const attempt of ['first', 'again under the same name']) {
      await as(tenant).create(projects.ref, projects.object({ name: 'lake' }, { members: [] }));
      const access = await kernel.access.of('onboarding');
      const attributes = { verb: 'get', group: projects.group, resource: projects.plural, name: 'lake' };
      const isAllowed = (username: string): boolean => access.authorize({ username, groups: [] }, attributes).allowed;
      assert.deepEqual(['anne', 'bob'].map(isAllowed), [true, false], attempt);
      await onboarding.delete({ ...projects.ref, name: 'lake' });
    }
  });

  it('no user deletes a definition of a living provider without an explicit confirmation', async () => {
    const at = { ...crds, name: `foos.${group}` };
    for (const user of [tenant, admin]) await refused(as(user).delete(at), /delete ServiceProvider "foo"/);
    await refused(onboarding.delete(at), /delete ServiceProvider "foo"/);
    const { items } = await onboarding.list(foos);
    assert.notEqual(items.length, 0);
  });

  it('a provider whose name is too long for a label is found', async () => {
    await refused(as(admin).delete({ ...crds, name: `longs.${group}` }), /ServiceProvider "foo-ooo/);
  });

  it('new orders are rejected while the provider is being removed, and others can be changed and deleted', async () => {
    const at = { ...serviceProviders.ref, name: 'foo' };
    await as(tenant).create(foos, foo('before'));
    await platform.patch(at, { type: 'merge', body: finalizersTo(['openmcp.cloud/finalizer']) });
    await platform.delete(at);
    for (const user of [tenant, admin]) {
      await refused(as(user).create(foos, foo('late')), /"foo" is being removed and takes no new orders/);
      const patch = { type: 'apply', body: foo('late'), force: true } as const;
      await refused(as(user).patch(ref('late'), patch, { fieldManager: 'x' }), /takes no new orders/);
    }
    await as(tenant).patch(ref('before'), { type: 'merge', body: { spec: { size: 2 } } });
    await as(tenant).delete(ref('before'));
    await refused(as(admin).delete({ ...crds, name: `foos.${group}` }), /delete ServiceProvider "foo"/);
    await onboarding.patch(ref('held'), { type: 'merge', body: finalizersTo([]) });
    await onboarding.delete({ ...crds, name: `foos.${group}` });
  });

  describe('A service that was let go', () => {
    const namespace = 'openmcp-access';
    const accountOf = (name: string): UserInfo => ({
      ...account,
      username: `system:serviceaccount:${namespace}:${name}`,
    });
    const place = { ...retainedServices.ref, namespace: 'default' };
    const retained = (name: string, provider: string): KubeObject =>
      retainedServices.object({ name, namespace: 'default' }, { provider, service: { group, kind: 'Foo', name: 'a' } });

    before(async () => {
      await installKinds(onboarding, [retainedServices.crd], { fieldManager: 'test' });
      await installKinds(platform, [accessRequests.crd], { fieldManager: 'test' });
      const core = { group: '', version: 'v1' };
      const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await onboarding.create({ ...core, plural: 'namespaces' }, home);
      for (const provider of ['foo', 'bar']) {
        const request = { name: `${provider}--onboarding`, namespace: 'default' };
        const labels = { [accessLabels.name]: request.name, [accessLabels.namespace]: request.namespace };
        const metadata = { name: provider, namespace, labels };
        const serviceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
        await onboarding.create({ ...core, plural: 'serviceaccounts', namespace }, serviceAccount);
        const managedBy = { 'openmcp.cloud/managed-by': provider };
        const spec = { clusterRef: { name: 'onboarding', namespace: 'default' }, token: {} };
        await platform.create(
          { ...accessRequests.ref, namespace: 'default' },
          accessRequests.object({ ...request, labels: managedBy }, spec),
        );
      }
    });

    it('is made and taken back by its own provider alone', async () => {
      const [own, wrong, unknown] = [as(accountOf('foo')), as(accountOf('bar')), as(accountOf('nobody'))];
      for (const client of [wrong, unknown]) {
        await refused(client.create(place, retained('foo-a', 'foo')), /service of provider "foo", which alone/);
      }
      await own.create(place, retained('foo-a', 'foo'));
      const label = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
      for (const client of [wrong, unknown]) {
        await refused(client.delete({ ...place, name: 'foo-a' }), /provider "foo", which alone/);
        await refused(client.patch({ ...place, name: 'foo-a' }, label), /provider "foo", which alone/);
      }
      await own.delete({ ...place, name: 'foo-a' });
    });

    it('is ended by its tenant', async () => {
      await as(accountOf('bar')).create(place, retained('bar-a', 'bar'));
      await as(tenant).delete({ ...place, name: 'bar-a' });
    });
  });

  describe('Requests and records of access', () => {
    const namespace = 'openmcp-system';
    const systemAccount = (name: string): UserInfo => ({
      username: `system:serviceaccount:${namespace}:${name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    });
    const labelled = (name: string, provider: string) => ({
      name,
      namespace,
      labels: { 'openmcp.cloud/managed-by': provider },
    });
    const kinds = [
      {
        ref: { ...accessRequests.ref, namespace },
        make: (name: string, provider: string) =>
          accessRequests.object(labelled(name, provider), { clusterRef: { name: 'c', namespace }, token: {} }),
      },
      {
        ref: { ...clusterRequests.ref, namespace },
        make: (name: string, provider: string) =>
          clusterRequests.object(labelled(name, provider), { purpose: 'workload' }),
      },
      {
        ref: { ...accessRecords.ref, namespace },
        make: (name: string, provider: string) => {
          const place = { namespace: 'default', name: 'a' };
          const spec = { provider, object: place, role: 'mcp' as const, cluster: place };
          return accessRecords.object(labelled(name, provider), spec);
        },
      },
    ];

    before(async () => {
      const definitions = [accessRequests.crd, clusterRequests.crd, accessRecords.crd];
      await allowEverything(platform);
      await installKinds(platform, definitions, { fieldManager: 'test' });
      const core = { group: '', version: 'v1' };
      const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await platform.create({ ...core, plural: 'namespaces' }, home);
      for (const [name, kind, provider] of [
        ['sp-foo', 'ServiceProvider', 'foo'],
        ['sp-bar-init', 'ServiceProvider', 'bar'],
        ['cp-foreign', 'ClusterProvider', 'foreign'],
      ]) {
        const annotations = {
          'openmcp.cloud/provider-kind': kind ?? '',
          'openmcp.cloud/provider-name': provider ?? '',
        };
        const metadata = { name: name ?? '', namespace, annotations };
        const serviceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
        await platform.create({ ...core, plural: 'serviceaccounts', namespace }, serviceAccount);
      }
    });

    for (const { ref, make } of kinds)
      it(`are touched by their own provider alone: ${ref.plural}`, async () => {
        const [own, wrong] = [as(systemAccount('sp-foo'), 'platform'), as(systemAccount('sp-bar-init'), 'platform')];
        const label = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
        const steal = { type: 'merge', body: { metadata: { labels: { 'openmcp.cloud/managed-by': 'bar' } } } } as const;
        await refused(wrong.create(ref, make('a', 'foo')), /belongs to "foo"/);
        await own.create(ref, make('a', 'foo'));
        for (const patch of [label, steal]) await refused(wrong.patch({ ...ref, name: 'a' }, patch), /"foo".*"bar"/);
        await refused(wrong.delete({ ...ref, name: 'a' }), /belongs to "foo"/);
        await as(systemAccount('cp-foreign'), 'platform').patch({ ...ref, name: 'a' }, label);
        await own.delete({ ...ref, name: 'a' });
      });
  });
});
