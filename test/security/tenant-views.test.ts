import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Caller, type CallOptions, createCaller, type KubeJson } from './support/caller.ts';
import {
  binding,
  boatDefinition,
  configMap,
  corePath,
  create,
  createAccount,
  expectFailure,
  expectStatus,
  groupPath,
  namespace,
  rbacPath,
} from './support/objects.ts';
import {
  applyPatch,
  createPerson,
  createReady,
  deletion,
  isReady,
  member,
  mergePatch,
  project,
  projectsPath,
  until,
  untilStatus,
  workspace,
  workspacesPath,
} from './support/tenants.ts';
import { watchLines } from './support/watch-lines.ts';

const tenantsGroup = 'core.openmcp.cloud/v1alpha1';
const boats = (cluster: string, inNamespace?: string): string =>
  `${groupPath(cluster, 'example.org/v1', inNamespace)}/boats`;
const boat = (name: string, more: object = {}) => ({
  apiVersion: 'example.org/v1',
  kind: 'Boat',
  metadata: { name, ...more },
});
const configMaps = (cluster: string, inNamespace?: string): string => `${corePath(cluster, inNamespace)}/configmaps`;
const definitions = (cluster: string): string =>
  groupPath(cluster, 'apiextensions.k8s.io/v1/customresourcedefinitions');
const [annesPlace, bobsPlace] = ['project-sea--ws-north', 'project-lake--ws-north'];

const closing = new AsyncDisposableStack();
let landscape: TestLandscape;
let admin: Caller;
let anne: Caller;
let bob: Caller;
let both: Caller;
let eve: Caller;

before(async () => {
  landscape = closing.use(await startTestLandscape());
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  const person = (name: string): Caller => closing.use(createPerson(landscape, name));
  [anne, bob, both, eve] = [person('anne'), person('bob'), person('both'), person('eve')];
  const everything = { admin: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] };
  const level = { additionalPermissions: everything };
  const config = groupPath('onboarding', `${tenantsGroup}/projectworkspaceconfigs/default`);
  expectStatus(await admin.send(config, mergePatch({ spec: { project: level, workspace: level } })), 200);
  await create(admin, definitions('onboarding'), boatDefinition());
  await offer('boat', 'Boat');
  for (const [name, owner, caller] of [
    ['sea', 'anne', anne],
    ['lake', 'bob', bob],
  ] as const) {
    const members = [member(owner, 'admin'), member('both', 'admin')];
    await createReady(caller, projectsPath, project({ name }, members));
    await createReady(caller, workspacesPath(`project-${name}`), workspace({ name: 'north' }, members));
    const bindings = `${groupPath(name, tenantsGroup, `project-${name}`)}/componentbindings`;
    const metadata = { name: 'boat' };
    const picked = { apiVersion: tenantsGroup, kind: 'ComponentBinding', metadata, spec: { component: 'boat' } };
    await createReady(caller, bindings, picked);
    await create(caller, boats(name, `project-${name}--ws-north`), boat(`${name}-boat`));
    await create(caller, configMaps(name, `project-${name}--ws-north`), configMap(`${name}-map`));
  }
});
after(() => closing.disposeAsync());

/** A provider that runs elsewhere: it reports the kind it serves. */
async function offer(name: string, kind: string): Promise<void> {
  const path = groupPath('platform', 'openmcp.cloud/v1alpha1/serviceproviders');
  const annotations = { 'openmcp.cloud/operation': 'ignore' };
  const type = { apiVersion: 'openmcp.cloud/v1alpha1', kind: 'ServiceProvider' };
  await create(admin, path, { ...type, metadata: { name, annotations }, spec: { image: 'none' } });
  const status = { resources: [{ group: 'example.org', version: 'v1', kind }] };
  expectStatus(await admin.send(`${path}/${name}/status`, mergePatch({ status })), 200);
}

const namesIn = (answer: { json<T = KubeJson>(): T }): string[] =>
  (answer.json().items ?? []).map(({ metadata }) => metadata.name);

test('users without rights learn nothing of a tenant, not even that it exists', async () => {
  const robot = await createAccount(admin, 'onboarding', 'robot');
  await using account = createCaller(landscape, { token: robot.token });
  await using nobody = createCaller(landscape);
  for (const caller of [eve, bob, account, nobody]) {
    for (const path of [
      '/api',
      '/apis',
      '/openapi/v3',
      '/api/v1/namespaces',
      '/apis/example.org/v1/boats',
      '/nonsense',
    ]) {
      const [known, unknown] = [
        await caller.send(`/clusters/sea${path}`),
        await caller.send(`/clusters/nowhere${path}`),
      ];
      assert.equal(known.status, unknown.status, path);
      assert.ok(known.status === 403 || known.status === 401, path);
      assert.equal(known.text, unknown.text, path);
    }
  }
});

test('a tenant sees its own and nothing else, also with every right in its namespaces', async () => {
  assert.deepEqual(namesIn(await anne.send(boats('sea'))), ['sea-boat']);
  assert.deepEqual(namesIn(await anne.send(configMaps('sea'))), ['sea-map']);
  assert.deepEqual(namesIn(await anne.send(`${corePath('sea')}/namespaces`)), ['project-sea', 'project-sea--ws-north']);
  assert.deepEqual(namesIn(await anne.send(groupPath('sea', `${tenantsGroup}/projects`))), ['sea']);
  const crds = namesIn(await anne.send(definitions('sea')));
  assert.ok(crds.includes('boats.example.org') && !crds.some(name => name.startsWith('projectworkspaceconfigs')));
  assert.deepEqual(namesIn(await admin.send(boats('sea'))), ['sea-boat'], 'a view is narrow for the operator too');
  const through = (await anne.send(`${boats('sea', annesPlace)}/sea-boat`)).json();
  const direct = (await anne.send(`${boats('onboarding', annesPlace)}/sea-boat`)).json();
  assert.deepEqual(through, direct, 'it is the same object');
});

test('what is of another tenant is not there, whatever one does', async () => {
  const secretly = { headers: { 'impersonate-user': 'bob' } };
  const attempts: readonly [path: string, options?: CallOptions][] = [
    [boats('sea', bobsPlace)],
    [`${boats('sea', bobsPlace)}?watch=true&timeoutSeconds=1`],
    [`${boats('sea', bobsPlace)}/lake-boat`],
    [boats('sea', bobsPlace), { body: boat('intruder') }],
    [`${boats('sea', bobsPlace)}/lake-boat`, mergePatch({ metadata: { labels: { a: 'b' } } })],
    [`${boats('sea', bobsPlace)}/lake-boat?fieldManager=x`, applyPatch(boat('lake-boat'))],
    [`${boats('sea', bobsPlace)}/lake-boat`, { method: 'PUT', body: boat('lake-boat') }],
    [`${boats('sea', bobsPlace)}/lake-boat`, deletion],
    [boats('sea', bobsPlace), deletion],
    [`${boats('sea', bobsPlace)}/lake-boat/status`, mergePatch({ status: {} })],
    [`${configMaps('sea', bobsPlace)}/lake-map`],
    [corePath('sea', bobsPlace)],
    [corePath('sea', 'default')],
    [corePath('sea', 'no-such-namespace')],
    [groupPath('sea', `${tenantsGroup}/projects/lake`)],
    [groupPath('sea', `${tenantsGroup}/projects/lake`), deletion],
    [`${corePath('sea')}/namespaces`, { body: namespace('intruder') }],
    [corePath('sea', annesPlace), mergePatch({ metadata: { labels: { 'core.openmcp.cloud/project': 'lake' } } })],
    [corePath('sea', annesPlace), deletion],
    [`${corePath('sea', annesPlace)}/finalize`, { method: 'PUT', body: namespace(annesPlace) }],
    [definitions('sea'), { body: boatDefinition() }],
    [`${definitions('sea')}/boats.example.org`, mergePatch({ metadata: { labels: { a: 'b' } } })],
    [`${definitions('sea')}/boats.example.org`, deletion],
    [definitions('sea'), deletion],
    [`${definitions('sea')}/projectworkspaceconfigs.core.openmcp.cloud`],
    [`${rbacPath('sea', annesPlace)}/rolebindings`],
    [
      `${rbacPath('sea', annesPlace)}/rolebindings`,
      { body: binding('RoleBinding', 'ClusterRole/cluster-admin', [{ kind: 'User', name: 'anne' }]) },
    ],
    [`${rbacPath('sea')}/clusterrolebindings`],
    [`${corePath('sea')}/nodes`],
    [boats('sea'), { method: 'DELETE' }],
    [boats('sea'), secretly],
    [groupPath('sea', `${tenantsGroup}/projectworkspaceconfigs`)],
    [groupPath('sea', `${tenantsGroup}/projects`), { body: project({ name: 'intruder' }) }],
  ];
  for (const caller of [anne, both]) {
    for (const [path, options] of attempts) {
      const { status, text } = await caller.send(path, options);
      assert.ok([403, 404, 405].includes(status), `${options?.method ?? ''} ${path}: ${status} ${text.slice(0, 300)}`);
      assert.ok(!text.includes('lake-boat"') || path.includes('lake-boat'), path);
    }
  }
  assert.deepEqual(namesIn(await bob.send(boats('lake'))), ['lake-boat']);
  const refused = await anne.send(boats('sea', bobsPlace));
  const missing = await anne.send(boats('sea', 'no-such-namespace'));
  assert.equal(refused.text.replaceAll(bobsPlace, 'no-such-namespace'), missing.text);
});

test('an owner reference to an object of another tenant touches only what bears it', async () => {
  const { metadata } = (await bob.send(`${boats('lake', bobsPlace)}/lake-boat`)).json();
  const ownerReferences = [
    { apiVersion: 'example.org/v1', kind: 'Boat', name: 'lake-boat', uid: metadata.uid, blockOwnerDeletion: true },
  ];
  await anne.send(boats('sea', annesPlace), { body: boat('child', { ownerReferences }) });
  expectStatus(
    await bob.send(`${boats('lake', bobsPlace)}/lake-boat`, mergePatch({ metadata: { labels: { a: 'b' } } })),
    200,
  );
  await anne.send(`${boats('sea', annesPlace)}/child`, deletion);
  expectStatus(await bob.send(`${boats('lake', bobsPlace)}/lake-boat`), 200);
});

test('reviews answer for the view', async () => {
  const ask = async (resourceAttributes: object): Promise<boolean> => {
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    };
    const path = groupPath('sea', 'authorization.k8s.io/v1/selfsubjectaccessreviews');
    return expectStatus(await both.send(path, { body }), 201).json<{ status: { allowed: boolean } }>().status.allowed;
  };
  const onBoats = { group: 'example.org', resource: 'boats' };
  assert.equal(await ask({ ...onBoats, verb: 'list' }), true);
  assert.equal(await ask({ ...onBoats, verb: 'create', namespace: annesPlace }), true);
  assert.equal(await ask({ ...onBoats, verb: 'create', namespace: bobsPlace }), false);
  assert.equal(await ask({ group: '', resource: 'nodes', verb: 'list' }), false);
});

test('lists come in pages, and watches report changes in the view until it is changed', async () => {
  for (const name of ['b1', 'b2', 'b3']) await create(anne, boats('sea', annesPlace), boat(name));
  const first = (await anne.send(`${boats('sea')}?limit=3`)).json();
  assert.equal(first.items?.length, 3);
  const rest = await anne.send(`${boats('sea')}?limit=3&continue=${first.metadata.continue}`);
  assert.deepEqual([...namesIn({ json: () => first as never }), ...namesIn(rest)], ['b1', 'b2', 'b3', 'sea-boat']);
  const from = first.metadata.resourceVersion;
  const lines = watchLines(await anne.open(`${boats('sea')}?watch=true&resourceVersion=${from}`));
  await create(bob, boats('lake', bobsPlace), boat('unseen'));
  await create(anne, boats('sea', annesPlace), boat('seen'));
  const next = async () => (await lines.next()).value as { type: string; object: KubeJson } | undefined;
  assert.equal((await next())?.object.metadata.name, 'seen');
  await createReady(anne, workspacesPath('project-sea'), workspace({ name: 'south' }));
  const last = await next();
  assert.deepEqual([last?.type, last?.object.code], ['ERROR', 410]);
  const resumed = await anne.send(`${boats('sea')}?watch=true&resourceVersion=${from}&timeoutSeconds=1`);
  assert.match(resumed.text, /"code":410/);
  await create(anne, boats('sea', 'project-sea--ws-south'), boat('southern'));
  assert.ok(namesIn(await anne.send(boats('sea'))).includes('southern'));
});

test('rights end with the membership, watches too', async () => {
  const path = `${groupPath('onboarding', tenantsGroup)}/projects/lake`;
  expectStatus(await both.send(boats('lake')), 200);
  const lines = watchLines(await both.open(`${boats('lake')}?watch=true`));
  await lines.next();
  const members = mergePatch({ spec: { members: [member('bob', 'admin')] } });
  expectStatus(await bob.send(path, members), 200);
  expectStatus(await bob.send(`${workspacesPath('project-lake')}/north`, members), 200);
  await untilStatus(both, boats('lake'), 403);
  const ended = await eventually(async () => {
    const next = await lines.next();
    return next.done === true || next.value.type === 'ERROR';
  });
  assert.ok(ended);
  const [known, unknown] = [await both.send(boats('lake')), await both.send(boats('nowhere'))];
  assert.equal(known.text, unknown.text);
});

test('a tenant that has not picked a component is not served it, and its definition cannot be read there', async () => {
  await createReady(eve, projectsPath, project({ name: 'pond' }));
  await createReady(eve, workspacesPath('project-pond'), workspace({ name: 'north' }));
  expectFailure(await eve.send(boats('pond', 'project-pond--ws-north')), 404);
  expectFailure(await eve.send(`${definitions('pond')}/boats.example.org`), 404);
  expectStatus(
    await eve.send(boats('onboarding', 'project-pond--ws-north')),
    200,
    'on the onboarding cluster, nothing has changed',
  );
  const bindings = `${groupPath('pond', tenantsGroup, 'project-pond')}/componentbindings`;
  await create(eve, bindings, {
    apiVersion: tenantsGroup,
    kind: 'ComponentBinding',
    metadata: { name: 'b' },
    spec: { component: 'boat' },
  });
  await until(eve, `${bindings}/b`, isReady);
  await untilStatus(eve, boats('pond', 'project-pond--ws-north'), 200);
});
