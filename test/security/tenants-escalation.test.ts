import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Caller, type CallOptions, createCaller } from './support/caller.ts';
import { corePath, expectFailure, expectStatus, rbacPath } from './support/objects.ts';
import {
  applyPatch,
  conditionOf,
  controlPlane,
  controlPlanesPath,
  createPerson,
  createReady,
  deletion,
  isReady,
  member,
  mergePatch,
  project,
  projectsPath,
  type Stateful,
  secretsPath,
  until,
  untilStatus,
  workspace,
  workspacesPath,
} from './support/tenants.ts';

const closing = new AsyncDisposableStack();
let landscape: TestLandscape;
let admin: Caller;
let alice: Caller;
let bob: Caller;

const createdBy = 'core.openmcp.cloud/created-by';
const purpose = 'core.openmcp.cloud/purpose';
const sea = `${projectsPath}/sea`;
const north = `${workspacesPath('project-sea')}/north`;
const planes = controlPlanesPath('project-sea--ws-north');

before(async () => {
  landscape = closing.use(await startTestLandscape());
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  alice = closing.use(createPerson(landscape, 'alice'));
  bob = closing.use(createPerson(landscape, 'bob'));
  await createReady(alice, projectsPath, project({ name: 'sea' }));
  await createReady(alice, workspacesPath('project-sea'), workspace({ name: 'north' }));
  await createReady(alice, planes, controlPlane({ name: 'a' }));
});
after(() => closing.disposeAsync());

const jsonPatch = (...body: readonly object[]): CallOptions => ({
  method: 'PATCH',
  body,
  headers: { 'content-type': 'application/json-patch+json' },
});
const withMembers = (...members: readonly object[]): CallOptions => mergePatch({ spec: { members } });
const annotated = (value: string | null): CallOptions =>
  mergePatch({ metadata: { annotations: { [createdBy]: value } } });

const lockouts: readonly { why: string; options: CallOptions }[] = [
  { why: 'an empty list', options: withMembers() },
  { why: 'no list at all', options: mergePatch({ spec: null }) },
  { why: 'a list of others', options: withMembers(member('bob', 'admin')) },
  { why: 'a lesser role', options: withMembers(member('alice', 'view')) },
  { why: 'a group of the same name', options: withMembers({ ...member('alice', 'admin'), kind: 'Group' }) },
  { why: 'a group she is not in', options: withMembers({ kind: 'Group', name: 'system:masters', roles: ['admin'] }) },
  {
    why: 'an account of the same name',
    options: withMembers({ ...member('alice', 'admin'), kind: 'ServiceAccount', namespace: 'default' }),
  },
  { why: 'a JSON patch', options: jsonPatch({ op: 'replace', path: '/spec/members', value: [] }) },
  { why: 'a JSON patch of one entry', options: jsonPatch({ op: 'remove', path: '/spec/members/0' }) },
];

for (const { why, options } of lockouts) {
  test(`no admin locks themselves out by ${why}`, async () => {
    for (const path of [sea, north]) {
      expectFailure(await alice.send(path, options), 403, path);
      const { spec } = expectStatus(await alice.send(path), 200).json<Stateful>();
      assert.deepEqual(spec?.members, [member('alice', 'admin')]);
    }
  });
}

test('no admin locks themselves out by replacing or applying the whole object', async () => {
  const others = { spec: { members: [member('bob', 'admin')] } };
  for (const path of [sea, north]) {
    const live = expectStatus(await alice.send(path), 200).json<Stateful & { apiVersion: string; kind: string }>();
    expectFailure(await alice.send(path, { method: 'PUT', body: { ...live, ...others } }), 403, path);
    const { apiVersion, kind } = live;
    const applied = applyPatch({ apiVersion, kind, metadata: { name: live.metadata.name }, ...others });
    expectFailure(await alice.send(`${path}?fieldManager=x&force=true`, applied), 403, path);
  }
});

test('a project for others is not made in their name', async () => {
  for (const members of [[member('bob', 'admin')], [member('alice', 'view')]])
    expectFailure(await alice.send(projectsPath, { body: project({ name: 'gift' }, members) }), 403);
  expectStatus(await admin.send(`${projectsPath}/gift`), 404);
});

test('the server records the creator of a tenant, whatever the request claims', async () => {
  const body = project({ name: 'claimed', annotations: { [createdBy]: 'bob' } });
  await createReady(alice, projectsPath, body);
  for (const options of [annotated('bob'), annotated(null), annotated('')]) {
    for (const path of [`${projectsPath}/claimed`, sea, north]) {
      await alice.send(path, options);
      const { metadata } = expectStatus(await alice.send(path), 200).json<Stateful>();
      assert.equal(metadata.annotations?.[createdBy], 'alice', path);
    }
  }
  const path = `/metadata/annotations/${createdBy.replace('/', '~1')}`;
  await alice.send(sea, jsonPatch({ op: 'replace', path, value: 'bob' }));
  await alice.send(sea, jsonPatch({ op: 'remove', path: '/metadata/annotations' }));
  const { metadata } = expectStatus(await alice.send(sea), 200).json<Stateful>();
  assert.equal(metadata.annotations?.[createdBy], 'alice');
});

test('the purpose of a control plane is chosen once, and is none of the landscape', async () => {
  for (const name of ['platform', 'onboarding', 'workload', 'MCP']) {
    const body = controlPlane({ name: 'odd', labels: { [purpose]: name } });
    expectFailure(await alice.send(planes, { body }), 403, name);
  }
  for (const name of ['platform', 'workload', 'mcp', 'mcp-other', '']) {
    const label = mergePatch({ metadata: { labels: { [purpose]: name } } });
    expectFailure(await alice.send(`${planes}/a`, label), 403, name);
  }
});

test('a purpose that the landscape does not have gives nothing', async () => {
  const body = controlPlane({ name: 'odd', labels: { [purpose]: 'platform-mcp' } });
  expectStatus(await alice.send(planes, { body }), 201);
  const odd = await until(
    alice,
    `${planes}/odd`,
    object => conditionOf(object, 'ClusterRequestReady')?.status === 'False',
  );
  assert.ok(!isReady(odd));
  assert.equal(odd.status?.['endpoints'], undefined);
  expectStatus(await alice.send(`${planes}/odd`, deletion), 200);
  await untilStatus(alice, `${planes}/odd`, 404);
});

test('status is what controllers say, also when it comes along with something else', async () => {
  const forged = {
    phase: 'Forged',
    endpoints: [{ name: 'x', url: 'https://evil.example.com' }],
    namespace: 'kube-system',
  };
  for (const path of [sea, north, `${planes}/a`]) {
    expectStatus(await alice.send(path, mergePatch({ metadata: { labels: { seen: 'yes' } }, status: forged })), 200);
    const live = expectStatus(await alice.send(path), 200);
    assert.ok(!/Forged|evil|kube-system/.test(live.text), live.text);
    expectFailure(await alice.send(`${path}/status`, mergePatch({ status: forged })), 403, path);
    const put = { method: 'PUT', body: { ...live.json<Stateful>(), status: forged } };
    expectFailure(await alice.send(`${path}/status`, put), 403, path);
  }
});

const badMembers: readonly { why: string; entry: object }[] = [
  { why: 'a role of Kubernetes', entry: { kind: 'User', name: 'bob', roles: ['cluster-admin'] } },
  { why: 'a role of the other level', entry: { kind: 'User', name: 'bob', roles: ['workspace:admin'] } },
  { why: 'no role', entry: { kind: 'User', name: 'bob', roles: [] } },
  { why: 'no name', entry: { kind: 'User', name: '', roles: ['view'] } },
  { why: 'a kind that is none', entry: { kind: 'Node', name: 'bob', roles: ['view'] } },
];

for (const { why, entry } of badMembers) {
  test(`a list of members with ${why} is refused`, async () => {
    const answer = await alice.send(sea, withMembers(member('alice', 'admin'), entry));
    expectFailure(answer, 422);
  });
}

test('the widest list of members gives no more than the roles do', async () => {
  const everybody = { kind: 'Group', name: 'system:authenticated', roles: ['admin', 'view'] };
  const anybody = { kind: 'Group', name: 'system:unauthenticated', roles: ['admin', 'view'] };
  const body = project({ name: 'park' }, [member('alice', 'admin'), everybody, anybody]);
  await createReady(alice, projectsPath, body);
  await createReady(
    alice,
    workspacesPath('project-park'),
    workspace({ name: 'all' }, [member('alice', 'admin'), everybody]),
  );
  await using anonymous = createCaller(landscape);
  for (const somebody of [bob, anonymous]) {
    await untilStatus(somebody, `${projectsPath}/park`, 200);
    for (const path of [sea, `${corePath('onboarding')}/secrets`, `${rbacPath('onboarding')}/clusterroles`])
      expectFailure(await somebody.send(path), 403, path);
    const { items } = expectStatus(await somebody.send(projectsPath), 200).json<{ items: Stateful[] }>();
    const names = items.map(({ metadata }) => metadata.name);
    assert.ok(
      names.includes('park') && !names.includes('sea'),
      `a list shows one's own projects only: ${names.join()}`,
    );
    for (const name of ['sea', 'nowhere']) {
      const one = `${projectsPath}?fieldSelector=metadata.name%3D${name}`;
      const found = expectStatus(await somebody.send(one), 200).json<{ items: Stateful[] }>();
      assert.deepEqual(found.items, [], `a list by name shows "${name}" as if it did not exist`);
      assert.equal(
        expectStatus(await somebody.send(`${one}&watch=true&timeoutSeconds=1`), 200).text,
        '',
        `a watch by name shows nothing of "${name}"`,
      );
    }
    for (const path of [`${corePath('onboarding', 'project-park')}/secrets`, '/clusters/platform/api/v1/namespaces'])
      expectFailure(await somebody.send(path), 403, path);
  }
  await untilStatus(bob, secretsPath('project-park--ws-all'), 200);
  expectFailure(await bob.send(`${rbacPath('onboarding', 'project-park--ws-all')}/rolebindings`), 403);
});

/** What others see of alice's workspace stays the same. */
const stateOf = async (namespace: string): Promise<string> => {
  const bindings = expectStatus(await admin.send(`${rbacPath('onboarding', namespace)}/rolebindings`), 200);
  const { metadata } = expectStatus(await admin.send(corePath('onboarding', namespace)), 200).json<Stateful>();
  const { items = [] } = bindings.json<{ items: { subjects?: object[]; roleRef: object }[] }>();
  return JSON.stringify([metadata.uid, metadata.labels, items.map(({ subjects, roleRef }) => [subjects, roleRef])]);
};

test("a project whose namespace would be that of another's workspace gains nothing, and leaves it alone", async () => {
  const before = await stateOf('project-sea--ws-north');
  const path = `${projectsPath}/sea--ws-north`;
  expectStatus(await bob.send(projectsPath, { body: project({ name: 'sea--ws-north' }) }), 201);
  await until(admin, path, object => conditionOf(object, 'Ready')?.reason === 'NamespaceConflict');
  for (const place of [planes, secretsPath('project-sea--ws-north'), corePath('onboarding', 'project-sea--ws-north')])
    expectFailure(await bob.send(place), 403, place);
  expectFailure(await bob.send(workspacesPath('project-sea--ws-north'), { body: workspace({ name: 'x' }) }), 403);
  expectStatus(await admin.send(path, deletion), 200);
  await untilStatus(admin, path, 404);
  assert.equal(await stateOf('project-sea--ws-north'), before);
  expectStatus(await alice.send(`${planes}/a`), 200);
});

test("a workspace whose namespace would be that of another's workspace learns nothing of it, and leaves it alone", async () => {
  await createReady(alice, projectsPath, project({ name: 'cove--ws-deep' }));
  await createReady(alice, workspacesPath('project-cove--ws-deep'), workspace({ name: 'dark' }));
  const namespace = 'project-cove--ws-deep--ws-dark';
  const hidden = controlPlanesPath(namespace);
  await createReady(alice, hidden, controlPlane({ name: 'hidden-plane' }));
  const before = await stateOf(namespace);
  await createReady(bob, projectsPath, project({ name: 'cove' }));
  const path = `${workspacesPath('project-cove')}/deep--ws-dark`;
  await eventually(async () => {
    const body = workspace({ name: 'deep--ws-dark' });
    return (await bob.send(workspacesPath('project-cove'), { body })).status === 201;
  });
  await until(bob, path, object => conditionOf(object, 'Ready')?.reason === 'NamespaceConflict');
  for (const place of [hidden, secretsPath(namespace)]) expectFailure(await bob.send(place), 403, place);
  expectStatus(await bob.send(path, deletion), 200);
  const answers: string[] = [];
  await eventually(async () => answers.push((await bob.send(path)).text) > 0 && answers.at(-1)?.includes('NotFound'));
  assert.ok(!answers.some(text => text.includes('hidden-plane')), answers.join('\n'));
  assert.equal(await stateOf(namespace), before);
  expectStatus(await alice.send(`${hidden}/hidden-plane`), 200);
});

test('who had a name before has nothing from the next who has it', async () => {
  await createReady(alice, projectsPath, project({ name: 'port' }));
  expectStatus(await alice.send(`${projectsPath}/port`, deletion), 200);
  await untilStatus(admin, `${projectsPath}/port`, 404);
  await createReady(bob, projectsPath, project({ name: 'port' }));
  await createReady(bob, workspacesPath('project-port'), workspace({ name: 'quay' }));
  for (const path of [`${projectsPath}/port`, workspacesPath('project-port'), secretsPath('project-port--ws-quay')])
    expectFailure(await alice.send(path), 403, path);
});

test('the operator can keep projects to those who have the right', async () => {
  const config = '/clusters/onboarding/apis/core.openmcp.cloud/v1alpha1/projectworkspaceconfigs/default';
  const restricted = (value: string | null) =>
    mergePatch({ metadata: { annotations: { 'core.chandlery.io/project-creation': value } } });
  expectStatus(await admin.send(config, restricted('restricted')), 200);
  const body = project({ name: 'late' });
  await eventually(async () => (await bob.send(`${projectsPath}?dryRun=All`, { body })).status === 403);
  expectStatus(await alice.send(sea), 200);
  expectStatus(await admin.send(config, restricted(null)), 200);
  await eventually(async () => (await bob.send(`${projectsPath}?dryRun=All`, { body })).status === 201);
});
