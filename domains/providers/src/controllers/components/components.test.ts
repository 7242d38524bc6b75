import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import {
  type Component,
  type ComponentBinding,
  componentBindings,
  components,
  projects,
  serviceProviders,
  type Tenant,
  workspaces,
} from '../../kinds/index.ts';
import { clusterNames, logicalClusters } from '../../model/components/tenant-cluster.ts';
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
const admin = (name: string) => ({ kind: 'User' as const, name, roles: ['admin' as const] });
const cluster = (name: string) => ({ ...logicalClusters, name });
const project = (name: string) => ({ ...projects.ref, name });
const binding = (inProject: string, name: string) => ({
  ...componentBindings.ref,
  namespace: `project-${inProject}`,
  name,
});

async function makeProject(client: Client, name: string, ...people: string[]): Promise<Tenant> {
  await client.create(projects.ref, projects.object({ name }, { members: people.map(admin) }));
  return untilCondition<Tenant>(client, project(name), ready);
}

async function makeWorkspace(client: Client, inProject: string, name: string, ...people: string[]): Promise<void> {
  const at = { ...workspaces.ref, namespace: `project-${inProject}` };
  const metadata = { name, namespace: at.namespace };
  await client.create(at, workspaces.object(metadata, { members: people.map(admin) }));
  await untilCondition(client, { ...at, name }, ready);
}

const bind = (client: Client, inProject: string, name: string, spec: ComponentBinding['spec']): Promise<KubeObject> =>
  client.create(binding(inProject, name), componentBindings.object({ name, namespace: `project-${inProject}` }, spec));

async function servedOn({ platform }: TestTenants, name: string): Promise<readonly string[]> {
  const { spec } = (await platform.get(cluster(name))) as { spec?: { view?: { resources?: string[] } } };
  return spec?.view?.resources ?? [];
}

const names = (list: { readonly items: readonly KubeObject[] }): string[] =>
  list.items.map(({ metadata }) => metadata.name ?? '');

describe('The own API of a project', () => {
  it('is a view that is called like the project, and goes with it', async () => {
    await using tenants = await startTestTenants();
    const sea = await makeProject(tenants.onboarding, 'sea', 'anne');
    assert.deepEqual(sea.status?.cluster, { name: 'sea', url: 'https://landscape.test/clusters/sea' });
    const { spec } = (await tenants.platform.get(cluster('sea'))) as { spec?: { view?: object } };
    const { base, namespaceSelector, objects } = { ...spec?.view } as Record<string, unknown>;
    assert.deepEqual(
      { base, namespaceSelector, objects },
      {
        base: 'onboarding',
        namespaceSelector: { matchLabels: { 'core.openmcp.cloud/project': 'sea' } },
        objects: ['projects.core.openmcp.cloud/sea'],
      },
    );
    const served = await servedOn(tenants, 'sea');
    for (const name of ['controlplanes.core.open-control-plane.io', 'retainedservices.core.chandlery.io'])
      assert.ok(served.includes(name), `${name} is served`);
    await tenants.platform.delete(cluster('sea'));
    await eventually(() => tenants.platform.get(cluster('sea')).then(({ metadata }) => !metadata.deletionTimestamp));
    await tenants.onboarding.delete(project('sea'));
    await eventually(() => isGone(tenants.onboarding, project('sea')));
    assert.equal(await isGone(tenants.platform, cluster('sea')), true);
  });

  it('takes no name that is taken, or that the landscape may need', async () => {
    await using tenants = await startTestTenants();
    await tenants.plane.createCluster('sea');
    for (const name of ['sea', 'workload', 'onboarding']) {
      const [other] = clusterNames(name).slice(-1);
      const { status } = await makeProject(tenants.onboarding, name, 'anne');
      assert.equal(status?.cluster?.name, other);
      assert.match(other ?? '', new RegExp(`^${name}-[a-z2-7]{8}$`));
    }
    await tenants.onboarding.delete(project('sea'));
    await eventually(() => isGone(tenants.onboarding, project('sea')));
    assert.ok(await tenants.platform.get(cluster('sea')), 'what belongs to another owner stays');
  });

  it('is made for projects of before when the controllers start', async () => {
    await using tenants = await startTestTenants();
    await makeProject(tenants.onboarding, 'sea', 'anne');
    const operation = { metadata: { annotations: { 'openmcp.cloud/operation': 'ignore' } } };
    await tenants.onboarding.patch(project('sea'), { type: 'merge', body: operation });
    await untilCondition(tenants.onboarding, project('sea'), { type: 'Paused', status: 'True' });
    await tenants.platform.delete(cluster('sea'));
    await eventually(() => isGone(tenants.platform, cluster('sea')));
    const again = { metadata: { annotations: { 'openmcp.cloud/operation': null } } };
    await tenants.onboarding.patch(project('sea'), { type: 'merge', body: again });
    await tenants.restart();
    await eventually(() => tenants.platform.get(cluster('sea')));
  });
});

describe('Component bindings', () => {
  it('serve the kinds of a component on the API of the project, and on no other', async () => {
    await using tenants = await startTestTenants();
    await offerFoos(tenants);
    const { onboarding } = tenants;
    for (const [name, person] of [
      ['sea', 'anne'],
      ['lake', 'will'],
    ] as const)
      await makeProject(onboarding, name, person);
    const anne = tenants.as('anne');
    const offered = await eventually(async () => {
      const { items } = await anne.list<Component>(components.ref);
      return items.length > 0 && items;
    });
    assert.deepEqual(
      offered.map(({ metadata, spec }) => [metadata.name, spec.kinds.map(({ kind }) => kind)]),
      [['foo', ['Foo']]],
    );
    await assert.rejects(
      tenants.as('will').create(binding('sea', 'x'), componentBindings.object({ name: 'x' }, { component: 'foo' })),
      forbidden,
    );
    await assert.rejects(anne.delete({ ...components.ref, name: 'foo' }), forbidden);
    await bind(anne, 'sea', 'foo', { component: 'foo' });
    const bound = await untilCondition<ComponentBinding>(onboarding, binding('sea', 'foo'), ready);
    assert.equal(bound.status?.phase, 'Bound');
    assert.deepEqual(
      bound.status?.resources?.map(({ plural }) => plural),
      ['foos'],
    );
    assert.ok((await servedOn(tenants, 'sea')).includes(`foos.${foos.group}`));
    assert.ok(!(await servedOn(tenants, 'lake')).includes(`foos.${foos.group}`));
  });

  it('say what they cannot find, and are bound when it comes', async () => {
    await using tenants = await startTestTenants();
    const { onboarding, platform } = tenants;
    await makeProject(onboarding, 'sea', 'anne');
    await bind(onboarding, 'sea', 'foo', { component: 'foo' });
    await bind(onboarding, 'sea', 'boat', { component: 'foo', kinds: ['Boat'] });
    const notFound = { type: 'Ready', status: 'False', reason: 'NotFound' };
    const lost = await untilCondition<ComponentBinding>(onboarding, binding('sea', 'foo'), notFound);
    assert.equal(lost.status?.phase, 'NotFound');
    await offerFoos(tenants);
    await untilCondition(onboarding, binding('sea', 'foo'), ready);
    await untilCondition(onboarding, binding('sea', 'boat'), { ...notFound, reason: 'KindNotFound' });
    const body = { metadata: { annotations: { 'core.chandlery.io/component': 'closed' } } };
    await platform.patch({ ...serviceProviders.ref, name: 'foo' }, { type: 'merge', body });
    await eventually(async () => names(await onboarding.list(components.ref)).length === 0);
    await bind(onboarding, 'sea', 'late', { component: 'foo' });
    await untilCondition(onboarding, binding('sea', 'late'), notFound);
  });

  it('stay while the tenant has objects of their kinds, and name them', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await offerFoos(tenants);
    await makeProject(onboarding, 'sea', 'anne');
    await makeWorkspace(onboarding, 'sea', 'north', 'anne');
    await bind(onboarding, 'sea', 'foo', { component: 'foo' });
    await bind(onboarding, 'sea', 'same', { component: 'foo', kinds: ['Foo'] });
    for (const name of ['foo', 'same']) await untilCondition(onboarding, binding('sea', name), ready);
    const order = { ...foos, namespace: 'project-sea--ws-north', name: 'a' };
    await onboarding.create(order, foo(order.namespace, 'a'));
    await onboarding.delete(binding('sea', 'same'));
    await eventually(() => isGone(onboarding, binding('sea', 'same')), {
      what: 'the binding that serves nothing alone',
    });
    assert.ok((await servedOn(tenants, 'sea')).includes(`foos.${foos.group}`));
    await onboarding.delete(binding('sea', 'foo'));
    const blocked = { type: 'Ready', status: 'False', reason: 'ObjectsRemain' };
    const held = await untilCondition<ComponentBinding>(onboarding, binding('sea', 'foo'), blocked);
    assert.equal(held.status?.phase, 'Unbinding');
    assert.match(JSON.stringify(held.status), new RegExp(`1 Foo\\.${foos.group}`));
    await tenants.restart();
    assert.ok((await servedOn(tenants, 'sea')).includes(`foos.${foos.group}`));
    await onboarding.delete(order);
    await releaseFoo(onboarding, order);
    await eventually(() => isGone(onboarding, binding('sea', 'foo')));
    assert.ok(!(await servedOn(tenants, 'sea')).includes(`foos.${foos.group}`));
  });

  it('go with their project', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await offerFoos(tenants);
    await makeProject(onboarding, 'sea', 'anne');
    await bind(onboarding, 'sea', 'foo', { component: 'foo' });
    await untilCondition(onboarding, binding('sea', 'foo'), ready);
    await onboarding.delete(project('sea'));
    await eventually(() => isGone(onboarding, project('sea')));
    assert.equal(await isGone(tenants.platform, cluster('sea')), true);
  });
});

describe('Everybody', () => {
  it('lists and watches the projects and workspaces that they are members of, and no others', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await makeProject(onboarding, 'sea', 'anne');
    await makeProject(onboarding, 'lake', 'will');
    await makeWorkspace(onboarding, 'sea', 'north', 'anne', 'will');
    await makeWorkspace(onboarding, 'sea', 'south', 'anne');
    const [anne, will, eve] = [tenants.as('anne'), tenants.as('will'), tenants.as('eve')];
    assert.deepEqual(names(await anne.list(projects.ref)), ['sea']);
    assert.deepEqual(names(await will.list(projects.ref)), ['lake']);
    assert.deepEqual(names(await eve.list(projects.ref)), []);
    assert.deepEqual(names(await anne.list(workspaces.ref)), ['north', 'south']);
    assert.deepEqual(names(await will.list(workspaces.ref)), ['north']);
    const crew = { kind: 'Group' as const, name: 'crew', roles: ['view' as const] };
    await onboarding.patch(project('sea'), { type: 'merge', body: { spec: { members: [admin('anne'), crew] } } });
    await eventually(async () => names(await tenants.as('eve', 'crew').list(projects.ref)).join() === 'sea');
    assert.deepEqual(names(await anne.list(projects.ref, { limit: 1 })), ['sea']);

    const { resourceVersion } = (await will.list(projects.ref)).metadata;
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { type, object } of will.watch(projects.ref, { resourceVersion: resourceVersion ?? '' }))
        if (type !== 'BOOKMARK') seen.push(`${type} ${object.metadata.name}`);
    })();
    const label = { metadata: { labels: { a: 'b' } } };
    for (const name of ['sea', 'lake']) await onboarding.patch(project(name), { type: 'merge', body: label });
    await eventually(() => seen.includes('MODIFIED lake'));
    await onboarding.patch(project('sea'), {
      type: 'merge',
      body: { spec: { members: [admin('anne'), admin('will')] } },
    });
    await assert.rejects(watching, (error: unknown) => isError(error, 'Expired'), 'what will may see is more now');
    assert.ok(seen.every(text => !text.includes('sea')));
    assert.deepEqual(names(await will.list(projects.ref)), ['lake', 'sea']);
    const resumed = will.watch(projects.ref, { resourceVersion: resourceVersion ?? '' });
    await assert.rejects(Array.fromAsync(resumed), (error: unknown) => isError(error, 'Expired'));
  });
});

const forbidden = (error: unknown): boolean => isError(error, 'Forbidden');
