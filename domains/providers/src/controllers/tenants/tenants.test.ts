import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { controlPlanes, projects, projectWorkspaceConfigs, type Tenant, workspaces } from '../../kinds/index.ts';
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
} from './test-landscape.ts';

type Members = Tenant['spec']['members'];
const admin = (name: string): Members[number] => ({ kind: 'User', name, roles: ['admin'] });
const viewer = (name: string): Members[number] => ({ kind: 'User', name, roles: ['view'] });
const ready = { type: 'Ready', status: 'True' };
const isForbidden = (error: unknown): boolean => isError(error, 'Forbidden');
const namespace = (name: string) => ({ ...refs.namespaces, name });
const project = (name: string) => ({ ...projects.ref, name });
const workspace = (name: string, inProject: string) => ({ ...workspaces.ref, namespace: `project-${inProject}`, name });

async function makeProject(client: Client, name: string, members: Members): Promise<Tenant> {
  await client.create(projects.ref, projects.object({ name }, { members }));
  return untilCondition<Tenant>(client, project(name), ready);
}

async function makeWorkspace(
  { onboarding }: TestTenants,
  name: string,
  inProject: string,
  members: Members,
): Promise<Tenant> {
  const at = workspace(name, inProject);
  await onboarding.create(at, workspaces.object({ name, namespace: at.namespace }, { members }));
  return untilCondition<Tenant>(onboarding, at, ready);
}

const mayList = async (client: Client, ref: Parameters<Client['list']>[0]): Promise<boolean> =>
  client.list(ref).then(
    () => true,
    () => false,
  );

describe('Projects and workspaces', () => {
  it('give members, and no other users, a namespace and rights by role', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    const sea = await makeProject(onboarding, 'sea', [admin('anne'), viewer('will')]);
    assert.equal(sea.status?.namespace, 'project-sea');
    assert.equal(sea.status.phase, 'Ready');
    const [anne, will, eve] = [tenants.as('anne'), tenants.as('will'), tenants.as('eve')];

    assert.equal((await anne.get(project('sea'))).metadata.name, 'sea');
    assert.equal((await will.get(project('sea'))).metadata.name, 'sea');
    await assert.rejects(eve.get(project('sea')), isForbidden);
    await assert.rejects(will.delete(project('sea')), isForbidden);
    const north = workspaces.object({ name: 'north', namespace: 'project-sea' }, { members: [admin('will')] });
    await assert.rejects(will.create(workspace('', 'sea'), north), isForbidden);
    await anne.create({ ...workspaces.ref, namespace: 'project-sea' }, north);
    const { status } = await untilCondition<Tenant>(onboarding, workspace('north', 'sea'), ready);
    assert.equal(status?.namespace, 'project-sea--ws-north');

    const inWorkspace = { ...controlPlanes.ref, namespace: 'project-sea--ws-north' };
    assert.deepEqual((await will.list(inWorkspace)).items, []);
    await assert.rejects(anne.list(inWorkspace), isForbidden, 'rights on a project are not inherited');
    assert.deepEqual((await will.list({ ...refs.secrets, namespace: inWorkspace.namespace })).items, []);
  });

  it('let all users create projects, until the operator restricts it', async () => {
    await using tenants = await startTestTenants();
    const eve = tenants.as('eve');
    await eventually(async () =>
      eve.create(projects.ref, projects.object({ name: 'eves' }, { members: [admin('eve')] })),
    );
    await untilCondition(tenants.onboarding, project('eves'), ready);

    const config = { ...projectWorkspaceConfigs.ref, name: 'default' };
    const annotations = { 'core.chandlery.io/project-creation': 'restricted' };
    await tenants.onboarding.patch(config, { type: 'merge', body: { metadata: { annotations } } });
    const creator = { ...refs.clusterRoleBindings, name: 'chandlery:project-creator' };
    await eventually(() => isGone(tenants.onboarding, creator));
    await tenants.restart();
    await assert.rejects(eve.create(projects.ref, projects.object({ name: 'more' }, { members: [] })), isForbidden);
    await tenants.onboarding.delete(config);
    await eventually(async () => (await tenants.onboarding.get(creator)).metadata.name);
  });

  it('are repaired when another client changes their objects', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await makeProject(onboarding, 'sea', [admin('anne')]);
    const anne = tenants.as('anne');
    const inProject = { ...workspaces.ref, namespace: 'project-sea' };
    const binding = { ...refs.roleBindings, namespace: 'project-sea', name: 'chandlery:admin' };
    await onboarding.delete(binding);
    await eventually(() => mayList(anne, inProject), { what: 'the binding to be restored' });
    await onboarding.patch(
      { ...refs.clusterRoles, name: 'chandlery:project:admin' },
      { type: 'merge', body: { rules: [] } },
    );
    await eventually(() => mayList(anne, inProject), { what: 'the role to be restored' });
    await onboarding.delete({ ...refs.clusterRoles, name: 'chandlery:project:sea:admin' });
    await eventually(() => anne.get(project('sea')), { what: 'the right to see the project to be restored' });
    const { uid } = (await onboarding.get(namespace('project-sea'))).metadata;
    await onboarding.delete(namespace('project-sea'));
    await eventually(async () => (await onboarding.get(namespace('project-sea'))).metadata.uid !== uid);
    await eventually(() => mayList(anne, inProject), { what: 'the namespace to be restored' });
  });

  it('follow the members and the kinds that providers bring', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await makeProject(onboarding, 'sea', [admin('anne')]);
    await makeWorkspace(tenants, 'north', 'sea', [admin('anne')]);
    const will = tenants.as('will');
    const inWorkspace = { ...foos, namespace: 'project-sea--ws-north' };
    await offerFoos(tenants);
    await eventually(() => mayList(tenants.as('anne'), inWorkspace));
    assert.equal(await mayList(will, inWorkspace), false);
    await onboarding.patch(workspace('north', 'sea'), { type: 'merge', body: { spec: { members: [viewer('will')] } } });
    await eventually(() => mayList(will, inWorkspace));
    await eventually(async () => !(await mayList(tenants.as('anne'), inWorkspace)));
    await assert.rejects(will.create(inWorkspace, foo(inWorkspace.namespace, 'a')), isForbidden);
    assert.equal(await mayList(will, { ...refs.secrets, namespace: inWorkspace.namespace }), false);

    const more = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    const config = { spec: { workspace: { additionalPermissions: { view: more } } } };
    await onboarding.patch({ ...projectWorkspaceConfigs.ref, name: 'default' }, { type: 'merge', body: config });
    await eventually(() =>
      mayList(will, { group: '', version: 'v1', plural: 'configmaps', namespace: inWorkspace.namespace }),
    );
  });

  it('do not take namespaces of others, nor names that do not fit', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await makeProject(onboarding, 'sea', [admin('anne')]);
    await makeWorkspace(tenants, 'north', 'sea', [admin('anne')]);
    await onboarding.create(projects.ref, projects.object({ name: 'sea--ws-north' }, { members: [admin('eve')] }));
    await untilCondition(onboarding, project('sea--ws-north'), {
      type: 'Ready',
      status: 'False',
      reason: 'NamespaceConflict',
    });
    assert.equal(await mayList(tenants.as('eve'), { ...controlPlanes.ref, namespace: 'project-sea--ws-north' }), false);
    await onboarding.delete(project('sea--ws-north'));
    await eventually(() => isGone(onboarding, project('sea--ws-north')));
    assert.equal((await onboarding.get(namespace('project-sea--ws-north'))).metadata.deletionTimestamp, undefined);

    const long = 'n'.repeat(56);
    await onboarding.create(projects.ref, projects.object({ name: long }, { members: [] }));
    await untilCondition(onboarding, project(long), { type: 'Ready', status: 'False', reason: 'NameTooLong' });
    const stray = { ...workspaces.ref, namespace: 'default', name: 'stray' };
    await onboarding.create(stray, workspaces.object({ name: 'stray', namespace: 'default' }, { members: [] }));
    await untilCondition(onboarding, stray, { type: 'Ready', status: 'False', reason: 'ProjectNotFound' });
  });

  it('are not deleted before what is in them, and then leave nothing behind', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await offerFoos(tenants);
    await makeProject(onboarding, 'sea', [admin('anne')]);
    await makeWorkspace(tenants, 'north', 'sea', [admin('anne')]);
    const inWorkspace = { ...foos, namespace: 'project-sea--ws-north', name: 'a' };
    await onboarding.create(inWorkspace, foo(inWorkspace.namespace, 'a'));
    const remains = { type: 'ContentRemaining', status: 'True', reason: 'SomeResourcesRemain' };

    await onboarding.delete(project('sea'));
    const sea = await untilCondition<Tenant>(onboarding, project('sea'), remains);
    assert.deepEqual(sea.status?.remaining, [
      { apiGroup: 'core.openmcp.cloud', kind: 'Workspace', name: 'north', namespace: 'project-sea' },
    ]);
    assert.equal(sea.status.phase, 'Terminating');
    await tenants.restart();
    await onboarding.delete(workspace('north', 'sea'));
    const north = await untilCondition<Tenant>(onboarding, workspace('north', 'sea'), remains);
    assert.deepEqual(
      north.status?.remaining?.map(({ kind, name }) => `${kind} ${name}`),
      ['Foo a'],
    );
    await tenants.restart();
    await onboarding.delete(inWorkspace);
    await releaseFoo(onboarding, inWorkspace);
    await eventually(() => isGone(onboarding, project('sea')));
    assert.equal(await isGone(onboarding, namespace('project-sea')), true);
    assert.equal(await isGone(onboarding, namespace('project-sea--ws-north')), true);
    await eventually(async () => {
      const left = [
        ...(await onboarding.list(refs.clusterRoles)).items,
        ...(await onboarding.list(refs.clusterRoleBindings)).items,
        ...(await onboarding.list(refs.roleBindings)).items,
      ];
      return !left.some(({ metadata }) => /sea|north/.test(`${metadata.namespace}/${metadata.name}`));
    });
  });

  it('wait for objects of any kind that the configuration names', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    const resourcesBlockingDeletion = [{ group: '', version: 'v1', kind: 'ConfigMap' }];
    const additionalPermissions = { view: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] };
    const config = { spec: { project: { resourcesBlockingDeletion, additionalPermissions } } };
    await onboarding.patch({ ...projectWorkspaceConfigs.ref, name: 'default' }, { type: 'merge', body: config });
    const viewRole = { ...refs.clusterRoles, name: 'chandlery:project:view' };
    await eventually(async () => JSON.stringify(await onboarding.get(viewRole)).includes('configmaps'));
    await makeProject(onboarding, 'sea', [admin('anne')]);
    const log = { group: '', version: 'v1', plural: 'configmaps', namespace: 'project-sea', name: 'log' };
    const metadata = { name: 'log', namespace: 'project-sea' };
    await onboarding.create(log, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await onboarding.delete(project('sea'));
    await untilCondition(onboarding, project('sea'), { type: 'ContentRemaining', status: 'True' });
    await onboarding.delete(log);
    await eventually(() => isGone(onboarding, project('sea')));
  });

  it('handle the operation annotations', async () => {
    await using tenants = await startTestTenants();
    const { onboarding } = tenants;
    await makeProject(onboarding, 'sea', [admin('anne')]);
    const operation = (value: string | null) => ({
      type: 'merge' as const,
      body: { metadata: { annotations: { 'openmcp.cloud/operation': value } } },
    });
    await onboarding.patch(project('sea'), operation('ignore'));
    await untilCondition(onboarding, project('sea'), { type: 'Paused', status: 'True' });
    await onboarding.patch(project('sea'), { type: 'merge', body: { spec: { members: [viewer('will')] } } });
    await onboarding.patch(project('sea'), operation('reconcile'));
    await eventually(async () => (await tenants.as('will').get(project('sea'))).metadata.name);
    await eventually(async () => {
      const { annotations = {} } = (await onboarding.get(project('sea'))).metadata;
      return annotations['openmcp.cloud/operation'] === undefined;
    });
  });
});
