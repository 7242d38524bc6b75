import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestLandscape, type TestLandscape, tempFolder } from '@chandlery/testing';
import { type Caller, createCaller } from './support/caller.ts';
import { foo, foosPath, installFoo } from './support/foo-provider.ts';
import { createAccount, expectFailure, expectStatus } from './support/objects.ts';
import {
  controlPlane,
  controlPlanesPath,
  createPerson,
  createReady,
  isReady,
  member,
  mergePatch,
  project,
  projectsPath,
  readSecret,
  secretsPath,
  until,
  untilStatus,
  workspace,
  workspacesPath,
} from './support/tenants.ts';
import { inProject, inWorkspace, type PersonName, people, tenantsTable } from './support/tenants-table.ts';

const closing = new AsyncDisposableStack();
let landscape: TestLandscape;
let admin: Caller;
let callers: Readonly<Record<PersonName, Caller>>;

before(async () => {
  const folder = closing.use(await tempFolder());
  landscape = closing.use(await startTestLandscape());
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  await installFoo(landscape, admin, folder);
  const person = (name: string): Caller => closing.use(createPerson(landscape, name));
  const { token } = await createAccount(admin, 'onboarding', 'robot');
  callers = {
    alice: person('alice'),
    dave: person('dave'),
    wendy: person('wendy'),
    vera: person('vera'),
    bob: person('bob'),
    robot: closing.use(createCaller(landscape, { token })),
    anonymous: closing.use(createCaller(landscape)),
  };
  await furnish();
});
after(() => closing.disposeAsync());

/** Alice creates everything herself, with the rights of any user. */
async function furnish(): Promise<void> {
  const { alice, bob } = callers;
  const admins = [member('alice', 'admin'), member('vera', 'view')];
  await createReady(alice, projectsPath, project({ name: 'sea' }, [...admins, member('dave', 'admin')]));
  const north = workspace({ name: 'north' }, [...admins, member('wendy', 'admin')]);
  await createReady(alice, workspacesPath(inProject), north);
  await createReady(alice, controlPlanesPath(inWorkspace), controlPlane({ name: 'a' }));
  await createReady(alice, foosPath(inWorkspace), foo('a'));
  await createReady(bob, projectsPath, project({ name: 'bobs' }));
  await createReady(bob, workspacesPath('project-bobs'), workspace({ name: 'north' }));
  await createReady(bob, controlPlanesPath('project-bobs--ws-north'), controlPlane({ name: 'a' }));
}

const names = Object.keys(people) as PersonName[];

for (const row of tenantsTable) {
  const method = row.options?.method ?? (row.options?.body === undefined ? 'GET' : 'POST');
  const who = row.allowed.length === 0 ? 'nobody' : row.allowed.join(', ');
  test(`${method} ${row.path} is for ${who}`, async () => {
    const { status, text } = await admin.send(row.path, row.options);
    assert.ok(status < 300, `what is refused must be there to be had: ${text}`);
    await Promise.all(
      names.map(async name => {
        const answer = await callers[name].send(row.path, row.options);
        if (row.allowed.includes(name)) return void expectStatus(answer, row.status ?? 200, name);
        expectFailure(answer, 403, name);
        assert.ok(!answer.text.includes('"items"'), name);
      }),
    );
  });
}

test('a wrong token is rejected, also where anonymous requests are allowed', async () => {
  await using stranger = createCaller(landscape, { token: 'no-such-token' });
  expectFailure(await stranger.send(projectsPath, { body: project({ name: 'lake' }) }), 401);
});

test('what bob owns does not help him with what has the same name elsewhere', async () => {
  const own = await readSecret(
    callers.bob,
    `${secretsPath('project-bobs--ws-north')}/token-admin.a.kubeconfig`,
    'token',
  );
  const theirs = await readSecret(callers.alice, `${secretsPath(inWorkspace)}/token-admin.a.kubeconfig`, 'token');
  assert.notEqual(own, theirs);
  expectFailure(await callers.bob.send(workspacesPath(inProject), { body: workspace({ name: 'mine' }) }), 403);
  expectFailure(await callers.bob.send(controlPlanesPath(inWorkspace), { body: controlPlane({ name: 'mine' }) }), 403);
});

test('rights end with the membership', async () => {
  const { alice, vera } = callers;
  const path = workspacesPath(inProject);
  await createReady(alice, path, workspace({ name: 'brief' }, [member('alice', 'admin'), member('vera', 'admin')]));
  const planes = controlPlanesPath('project-sea--ws-brief');
  expectStatus(await vera.send(planes), 200);
  const only = mergePatch({ spec: { members: [member('alice', 'admin')] } });
  expectStatus(await alice.send(`${path}/brief`, only), 200);
  await untilStatus(vera, planes, 403);
  for (const place of [secretsPath('project-sea--ws-brief'), planes]) expectFailure(await vera.send(place), 403, place);
  expectFailure(await vera.send(`${path}/brief`, mergePatch({ metadata: { labels: { a: 'b' } } })), 403);
});

test('an admin of the project is an admin of a workspace only once its list of members says so, for all to see', async () => {
  const { alice, dave } = callers;
  const path = workspacesPath(inProject);
  await createReady(alice, path, workspace({ name: 'open' }));
  const secrets = secretsPath('project-sea--ws-open');
  expectFailure(await dave.send(secrets), 403);
  const both = mergePatch({ spec: { members: [member('alice', 'admin'), member('dave', 'admin')] } });
  expectStatus(await dave.send(`${path}/open`, both), 200);
  await untilStatus(dave, secrets, 200);
  const { spec } = await until(alice, `${path}/open`, isReady);
  assert.equal(spec?.members?.length, 2);
});
