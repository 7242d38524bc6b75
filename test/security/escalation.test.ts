import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Caller, createCaller } from './support/caller.ts';
import {
  binding,
  corePath,
  create,
  createAccount,
  createCluster,
  expectFailure,
  expectStatus,
  groupPath,
  type Rule,
  rbacPath,
  role,
  type Subject,
  secret,
} from './support/objects.ts';

let landscape: TestLandscape;
let admin: Caller;

before(async () => {
  landscape = await startTestLandscape();
  admin = createCaller(landscape, { token: landscape.token });
  await createCluster(admin, 'shop');
  await create(admin, `${corePath('shop', 'default')}/secrets`, secret('treasure', { key: 'gold' }));
});

after(async () => {
  await admin?.[Symbol.asyncDispose]();
  await landscape?.[Symbol.asyncDispose]();
});

const rbacGroup = 'rbac.authorization.k8s.io';
const roles = `${rbacPath('shop', 'default')}/roles`;
const roleBindings = `${rbacPath('shop', 'default')}/rolebindings`;
const clusterRoles = `${rbacPath('shop')}/clusterroles`;
const clusterRoleBindings = `${rbacPath('shop')}/clusterrolebindings`;

const writesRbac: Rule = {
  verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
  apiGroups: [rbacGroup],
  resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
};
const readsMaps: Rule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] };
const readsSecrets: Rule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };

const account = (name: string): Subject => ({ kind: 'ServiceAccount', name, namespace: 'default' });

/** A service account that holds these rules everywhere. */
async function createHolder(name: string, ...rules: Rule[]): Promise<Caller> {
  const { token } = await createAccount(admin, 'shop', name);
  await create(admin, clusterRoles, role('ClusterRole', `held-by-${name}`, rules));
  await create(
    admin,
    clusterRoleBindings,
    binding('ClusterRoleBinding', `ClusterRole/held-by-${name}`, [account(name)]),
  );
  return createCaller(landscape, { token });
}

test('who writes roles can hand out what is held, and nothing more', async () => {
  await using writer = await createHolder('writer', writesRbac, readsMaps);
  await create(writer, roles, role('Role', 'held', [readsMaps]));
  await create(writer, clusterRoles, role('ClusterRole', 'held-too', [{ ...readsMaps, verbs: ['get'] }]));
  const tooMuch: readonly Rule[] = [
    readsSecrets,
    { ...readsMaps, verbs: ['*'] },
    { ...readsMaps, resources: ['*'] },
    { ...readsMaps, apiGroups: ['*'] },
    { ...readsMaps, verbs: ['get', 'delete'] },
    { ...readsMaps, resources: ['configmaps/anything'] },
    { verbs: ['escalate', 'bind'], apiGroups: [rbacGroup], resources: ['roles'] },
    { verbs: ['impersonate'], apiGroups: [''], resources: ['users', 'groups'] },
  ];
  for (const rule of tooMuch) {
    const { message } = expectFailure(await writer.send(roles, { body: role('Role', 'more', [rule]) }), 403);
    assert.match(message ?? '', /attempting to grant RBAC permissions not currently held/, JSON.stringify(rule));
    expectFailure(await writer.send(clusterRoles, { body: role('ClusterRole', 'more', [rule]) }), 403);
  }
  const urls = role('ClusterRole', 'more', [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }]);
  expectFailure(await writer.send(clusterRoles, { body: urls }), 403);
});

test('every way of changing a role is guarded alike', async () => {
  await using writer = await createHolder('changer', writesRbac, readsMaps);
  await create(writer, roles, role('Role', 'growing', [readsMaps]));
  const body = role('Role', 'growing', [readsMaps, readsSecrets]);
  const send = (type: string, patch: unknown, query = '') =>
    writer.send(`${roles}/growing${query}`, { method: 'PATCH', body: patch, headers: { 'content-type': type } });
  expectFailure(await writer.send(`${roles}/growing`, { method: 'PUT', body }), 403, 'update');
  expectFailure(await send('application/merge-patch+json', { rules: body.rules }), 403, 'merge');
  expectFailure(await send('application/strategic-merge-patch+json', { rules: body.rules }), 403, 'strategic');
  expectFailure(
    await send('application/json-patch+json', [{ op: 'add', path: '/rules/-', value: readsSecrets }]),
    403,
    'json',
  );
  expectFailure(await send('application/apply-patch+yaml', body, '?fieldManager=x&force=true'), 403, 'apply');
  const fresh = role('Role', 'fresh', [readsSecrets]);
  const applied = await writer.send(`${roles}/fresh?fieldManager=x`, {
    method: 'PATCH',
    body: fresh,
    headers: { 'content-type': 'application/apply-patch+yaml' },
  });
  expectFailure(applied, 403, 'apply that creates');
  expectStatus(await send('application/merge-patch+json', { metadata: { annotations: { harmless: 'yes' } } }), 200);
  expectFailure(await writer.send(`${roles}/growing?dryRun=All`, { method: 'PUT', body }), 403, 'dry run');
});

test('who writes bindings cannot bind a role that holds more than they do', async () => {
  await using writer = await createHolder('binder', writesRbac, readsMaps);
  await create(admin, roles, role('Role', 'maps-only', [readsMaps]));
  await create(writer, roleBindings, binding('RoleBinding', 'Role/maps-only', [account('binder')]));
  for (const name of ['cluster-admin', 'admin', 'edit'])
    expectFailure(
      await writer.send(roleBindings, { body: binding('RoleBinding', `ClusterRole/${name}`, [account('binder')]) }),
      403,
    );
  const everywhere = binding('ClusterRoleBinding', 'ClusterRole/cluster-admin', [account('binder')]);
  expectFailure(await writer.send(clusterRoleBindings, { body: everywhere }), 403);
  const missing = binding('ClusterRoleBinding', 'ClusterRole/later', [account('binder')]);
  expectFailure(await writer.send(clusterRoleBindings, { body: missing }), 404, 'a role that may come later');
});

test('a binding of others cannot be taken over, nor its role exchanged', async () => {
  await using writer = await createHolder('thief', writesRbac, readsMaps);
  const body = binding('ClusterRoleBinding', 'ClusterRole/cluster-admin', [{ kind: 'User', name: 'boss' }]);
  await create(admin, clusterRoleBindings, body);
  const path = `${clusterRoleBindings}/${body.metadata.name}`;
  expectFailure(
    await writer.send(path, { method: 'PUT', body: { ...body, subjects: [...body.subjects, account('thief')] } }),
    403,
  );
  const patch = [{ op: 'add', path: '/subjects/-', value: account('thief') }];
  const headers = { 'content-type': 'application/json-patch+json' };
  expectFailure(await writer.send(path, { method: 'PATCH', body: patch, headers }), 403);
  await create(writer, roles, role('Role', 'stepping-stone', [readsMaps]));
  const own = binding('RoleBinding', 'Role/stepping-stone', [account('thief')]);
  await create(writer, roleBindings, own);
  const exchanged = { ...own, roleRef: { ...own.roleRef, kind: 'ClusterRole', name: 'cluster-admin' } };
  const answer = await writer.send(`${roleBindings}/${own.metadata.name}`, { method: 'PUT', body: exchanged });
  assert.ok([403, 422].includes(answer.status), answer.text);
});

test('escalate and bind are rights of their own', async () => {
  const escalate: Rule = { verbs: ['create', 'escalate'], apiGroups: [rbacGroup], resources: ['roles'] };
  const bind: Rule = { verbs: ['bind'], apiGroups: [rbacGroup], resources: ['clusterroles'], resourceNames: ['view'] };
  const bindings: Rule = { verbs: ['create'], apiGroups: [rbacGroup], resources: ['rolebindings'] };
  await using writer = await createHolder('trusted', escalate, bind, bindings);
  await create(writer, roles, role('Role', 'escalated', [readsSecrets]));
  await create(writer, roleBindings, binding('RoleBinding', 'ClusterRole/view', [account('trusted')]));
  expectFailure(
    await writer.send(roleBindings, { body: binding('RoleBinding', 'ClusterRole/edit', [account('trusted')]) }),
    403,
  );
  expectFailure(
    await writer.send(roleBindings, { body: binding('RoleBinding', 'Role/escalated', [account('trusted')]) }),
    403,
  );
});

test('aggregation does not smuggle in rights', async () => {
  await using writer = await createHolder('collector', writesRbac, readsMaps);
  const everything = { clusterRoleSelectors: [{}] };
  const body = { ...role('ClusterRole', 'collected', []), aggregationRule: everything };
  expectFailure(await writer.send(clusterRoles, { body }), 403, 'an aggregated role of their own');
  const joining = role('ClusterRole', 'joining', [readsSecrets]);
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
  expectFailure(
    await writer.send(clusterRoles, { body: { ...joining, metadata: { ...joining.metadata, labels } } }),
    403,
  );
  const patch = { aggregationRule: everything };
  const headers = { 'content-type': 'application/merge-patch+json' };
  expectFailure(await writer.send(`${clusterRoles}/held-by-collector`, { method: 'PATCH', body: patch, headers }), 403);
});

test('an aggregated role holds what its parts hold, from the moment they are there', async () => {
  await using viewer = await createHolder('viewer');
  await create(admin, clusterRoleBindings, binding('ClusterRoleBinding', 'ClusterRole/view', [account('viewer')]));
  const nodes = `${corePath('shop')}/nodes`;
  expectFailure(await viewer.send(nodes), 403);
  const part = role('ClusterRole', 'view-nodes', [{ verbs: ['list'], apiGroups: [''], resources: ['nodes'] }]);
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
  await create(admin, clusterRoles, { ...part, metadata: { ...part.metadata, labels } });
  expectStatus(await viewer.send(nodes), 200);
  expectStatus(await admin.send(`${clusterRoles}/view-nodes`, { method: 'DELETE' }), 200);
  expectFailure(await viewer.send(nodes), 403);
});

test('revoked rights end with the response', async () => {
  await using holder = await createHolder('dismissed', readsSecrets);
  const treasure = `${corePath('shop', 'default')}/secrets/treasure`;
  expectStatus(await holder.send(treasure), 200);
  const name = 'held-by-dismissed-dismissed';
  expectStatus(await admin.send(`${clusterRoleBindings}/${name}`, { method: 'DELETE' }), 200);
  expectFailure(await holder.send(treasure), 403);
});

test('no user impersonates another without the right to', async () => {
  await using holder = await createHolder('actor', readsMaps, {
    verbs: ['impersonate'],
    apiGroups: [''],
    resources: ['users'],
    resourceNames: ['friend'],
  });
  const path = `${corePath('shop')}/secrets`;
  const as = (headers: Record<string, string | string[]>) => holder.send(path, { headers });
  const disguises: readonly Record<string, string | string[]>[] = [
    { 'impersonate-user': 'boss' },
    { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
    { 'impersonate-user': 'friend', 'impersonate-group': 'system:masters' },
    { 'impersonate-user': 'friend', 'impersonate-group': ['a', 'system:masters'] },
    { 'impersonate-user': 'friend', 'impersonate-uid': '1' },
    { 'impersonate-user': 'friend', 'impersonate-extra-scope': 'all' },
    { 'impersonate-user': 'system:serviceaccount:default:actor' },
    { 'impersonate-user': 'system:admin' },
  ];
  for (const headers of disguises) {
    const { message } = expectFailure(await as(headers), 403, JSON.stringify(headers));
    assert.match(message ?? '', /cannot impersonate/, JSON.stringify(headers));
  }
  expectFailure(await as({ 'impersonate-group': 'system:masters' }), 400, 'a group without a user');
  const { message } = expectFailure(await as({ 'impersonate-user': 'friend' }), 403);
  assert.match(message ?? '', /User \\?"friend\\?"/, 'the friend is refused, in its own name');
});

test('who defines kinds does not thereby read secrets', async () => {
  const definesKinds: Rule = { verbs: ['*'], apiGroups: ['apiextensions.k8s.io'], resources: ['*'] };
  const usesKinds: Rule = { verbs: ['*'], apiGroups: ['example.org'], resources: ['*'] };
  await using definer = await createHolder('definer', definesKinds, usesKinds);
  const crd = (group: string, plural: string) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind: 'Secret', shortNames: ['secret'] },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  const crds = groupPath('shop', 'apiextensions.k8s.io/v1/customresourcedefinitions');
  expectStatus(await definer.send(crds, { body: crd('example.org', 'secrets') }), 201);
  expectFailure(await definer.send(`${corePath('shop')}/secrets`), 403);
  const { items } = expectStatus(await definer.send(groupPath('shop', 'example.org/v1/secrets')), 200).json();
  assert.deepEqual(items, [], 'the new kind has a name but nothing else in common with the old');
  for (const group of ['', 'v1']) {
    const answer = await definer.send(crds, { body: crd(group, 'secrets') });
    assert.ok([400, 422].includes(answer.status), answer.text);
  }
  expectStatus(await admin.send(`${corePath('shop', 'default')}/secrets/treasure`), 200);
});

test('metadata and tables of secrets need the same rights as secrets', async () => {
  await using holder = await createHolder('peeker', readsMaps);
  const path = `${corePath('shop', 'default')}/secrets`;
  for (const as of ['Table', 'PartialObjectMetadataList', 'PartialObjectMetadata']) {
    const accept = `application/json;as=${as};v=v1;g=meta.k8s.io`;
    expectFailure(await holder.send(path, { headers: { accept } }), 403, as);
    expectFailure(await holder.send(`${path}/treasure`, { headers: { accept } }), 403, as);
  }
});

test('dependents do not reveal owners that one may not read, and deletes of one kind stay in it', async () => {
  const maps: Rule = { verbs: ['*'], apiGroups: [''], resources: ['configmaps'] };
  await using holder = await createHolder('dependent', maps);
  const treasure = (await admin.send(`${corePath('shop', 'default')}/secrets/treasure`)).json();
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Secret', name: 'treasure', uid: treasure.metadata.uid }];
  const metadata = { name: 'hanger-on', ownerReferences };
  const path = `${corePath('shop', 'default')}/configmaps`;
  await create(holder, path, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  expectStatus(await holder.send(`${path}/hanger-on?propagationPolicy=Foreground`, { method: 'DELETE' }), 200);
  expectStatus(await admin.send(`${corePath('shop', 'default')}/secrets/treasure`), 200);
});
