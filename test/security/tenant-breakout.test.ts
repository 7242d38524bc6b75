import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { type Caller, type CallOptions, createCaller } from './support/caller.ts';
import { takeStableCensus } from './support/census.ts';
import { foo, foosPath, installFoo } from './support/foo-provider.ts';
import {
  binding,
  boatDefinition,
  configMap,
  corePath,
  create,
  expectStatus,
  groupPath,
  rbacPath,
} from './support/objects.ts';
import {
  applyPatch,
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
  readSecret,
  type Stateful,
  secretsPath,
  until,
  untilStatus,
  workspace,
  workspacesPath,
} from './support/tenants.ts';

/** A tenant with every right in its namespaces, and with every right on its control plane. */
interface Tenant {
  readonly person: Caller;
  readonly owner: Caller;
  readonly cluster: string;
  readonly place: string;
}

const closing = new AsyncDisposableStack();
const crds = 'apiextensions.k8s.io/v1/customresourcedefinitions';
const itemDefinition = 'fooitems.foo.example.com';
const requestLabel = 'clusters.openmcp.cloud/accessrequest-name';
let landscape: TestLandscape;
let admin: Caller;
let eve: Tenant;
let bob: Tenant;

before(async () => {
  const folder: TempFolder = closing.use(await tempFolder());
  landscape = closing.use(await startTestLandscape());
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  const everything = { admin: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] };
  const level = { additionalPermissions: everything };
  const config = groupPath('onboarding', 'core.openmcp.cloud/v1alpha1/projectworkspaceconfigs/default');
  expectStatus(await admin.send(config, mergePatch({ spec: { project: level, workspace: level } })), 200);
  [eve, bob] = await Promise.all([settle('eve'), settle('bob'), installFoo(landscape, admin, folder)]);
  for (const { person, place } of [bob, eve]) await untilStatus(person, foosPath(place), 200);
  await createReady(bob.person, foosPath(bob.place), foo('plane'));
});
after(() => closing.disposeAsync());

async function settle(name: string): Promise<Tenant> {
  const person = closing.use(createPerson(landscape, name));
  const place = `project-${name}--ws-main`;
  const members = [member(name, 'admin')];
  await createReady(person, projectsPath, project({ name }, members));
  await createReady(person, workspacesPath(`project-${name}`), workspace({ name: 'main' }, members));
  await createReady(person, controlPlanesPath(place), controlPlane({ name: 'plane' }));
  const kubeconfig = `${secretsPath(place)}/token-admin.plane.kubeconfig`;
  const token = await readSecret(person, kubeconfig, 'token');
  const cluster = (await readSecret(person, kubeconfig, 'host')).split('/').at(-1) ?? '';
  return { person, owner: closing.use(createCaller(landscape, { token })), cluster, place };
}

const census = (): Promise<readonly string[]> => takeStableCensus(admin);

const becomes = (wanted: readonly string[]): Promise<unknown> =>
  eventually(
    async () => {
      assert.deepEqual(await census(), wanted);
      return true;
    },
    { timeoutMs: 60_000, pauseMs: 500, what: 'all clusters to be as before' },
  );

/** Whatever of the other tenant could change: the spec, status and Secrets of its order, and what runs for it. */
async function stateOfBob(): Promise<string> {
  const { metadata, spec, status } = expectStatus(
    await admin.send(`${foosPath(bob.place)}/plane`),
    200,
  ).json<Stateful>();
  const namespaces = (await admin.send(`${corePath('workload')}/namespaces`)).text;
  const home = /foo-[a-z2-7]{8}/.exec(JSON.stringify(status))?.[0] ?? assert.fail(namespaces);
  const deployment = (await admin.send(`${groupPath('workload', 'apps/v1', home)}/deployments/foo`)).json<Stateful>();
  return JSON.stringify([metadata.uid, spec, status?.phase, deployment.metadata.uid, deployment.spec]);
}

/** An attempt of a tenant; whatever its outcome, the landscape must not be affected. */
const attempt = async (caller: Caller, path: string, options?: CallOptions): Promise<number> =>
  (await caller.send(path, options)).status;

const finalizers = (value: readonly string[] | null) => mergePatch({ metadata: { finalizers: value } });
const ofEve = (name = 'plane'): string => `${foosPath(eve.place)}/${name}`;

test('a tenant leaks nothing: what it ties up goes with its order', async () => {
  const [before, witness] = [await census(), await stateOfBob()];
  await createReady(eve.person, foosPath(eve.place), foo('plane'));
  // Neither side of the order lets go by its tenant's hand.
  for (const path of [ofEve(), `${controlPlanesPath(eve.place)}/plane`, `${projectsPath}/eve`])
    for (const value of [null, []]) assert.equal(await attempt(eve.person, path, finalizers(value)), 403, path);
  const foreign = ['foo.services.open-control-plane.io/more', 'core.openmcp.cloud/hold'];
  for (const name of foreign) assert.equal(await attempt(eve.person, ofEve(), finalizers([name])), 403, name);
  // An owner that is not there must not have the order collected, nor keep it.
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: 'b8d0c3f4-0000-0000-0000-000000000000' };
  await attempt(eve.person, ofEve(), mergePatch({ metadata: { ownerReferences: [owner] } }));
  await attempt(eve.person, ofEve(), mergePatch({ metadata: { ownerReferences: null } }));
  assert.equal(await attempt(eve.person, ofEve(), deletion), 200);
  await untilStatus(eve.person, ofEve(), 404);
  await becomes(before);
  assert.equal(await stateOfBob(), witness);
});

test('a tenant freezes nothing: what the provider has on its control plane comes back', async () => {
  const before = await census();
  const witness = await stateOfBob();
  await createReady(eve.person, foosPath(eve.place), foo('plane'));
  const definition = `${groupPath(eve.cluster, crds)}/${itemDefinition}`;
  const marks = {
    'openmcp.cloud/managed-by': 'somebody-else',
    'sdk.chandlery.io/instance': 'none',
    'sdk.chandlery.io/handed-over': 'true',
  };
  const annotations = { 'sdk.chandlery.io/object': `${bob.place}/plane`, 'sdk.chandlery.io/former-object': 'foo/x/y' };
  assert.equal(await attempt(eve.owner, definition, mergePatch({ metadata: { labels: marks, annotations } })), 200);
  await until(eve.owner, definition, ({ metadata }) => metadata.labels?.['openmcp.cloud/managed-by'] === 'foo');
  const uid = (await eve.owner.send(definition)).json<Stateful>().metadata.uid;
  assert.equal(await attempt(eve.owner, definition, deletion), 200);
  await until(eve.owner, definition, ({ metadata }) => metadata.uid !== uid);
  // Rights of the provider on the control plane, and its accounts, are put back too.
  const rbac = `${rbacPath(eve.cluster)}/clusterrolebindings`;
  const bindings = (await eve.owner.send(rbac)).json<{ items: readonly Stateful[] }>().items;
  const granted = bindings.filter(({ metadata }) => metadata.name.startsWith('openmcp:permission:'));
  assert.ok(granted.length > 0);
  for (const { metadata } of granted) assert.equal(await attempt(eve.owner, `${rbac}/${metadata.name}`, deletion), 200);
  const accounts = `${corePath(eve.cluster, 'openmcp-access')}/serviceaccounts`;
  const found = (await eve.owner.send(accounts)).json<{ items: readonly Stateful[] }>().items;
  const ofProvider = found.filter(({ metadata }) => /^foo--/.test(metadata.labels?.[requestLabel] ?? ''));
  assert.equal(ofProvider.length, 1);
  for (const { metadata } of ofProvider)
    assert.equal(await attempt(eve.owner, `${accounts}/${metadata.name}`, deletion), 200);
  await until(eve.person, ofEve(), isReady);
  // A definition that cannot go, since an object of it cannot, holds the order and says so; then all goes.
  const items = groupPath(eve.cluster, 'foo.example.com/v1', 'default');
  await eventually(async () => {
    const item = {
      apiVersion: 'foo.example.com/v1',
      kind: 'FooItem',
      metadata: { name: 'i', finalizers: ['eve.example/x'] },
      spec: { name: 'x' },
    };
    return [201, 409].includes(await attempt(admin, `${items}/fooitems`, { body: item }));
  });
  assert.equal(await attempt(eve.person, ofEve(), deletion), 200);
  await until(eve.person, ofEve(), ({ status }) => /FooItem/.test(JSON.stringify(status?.conditions)));
  assert.equal(await stateOfBob(), witness);
  await attempt(admin, `${items}/fooitems/i`, deletion);
  await attempt(admin, `${items}/fooitems/i`, finalizers([]));
  await untilStatus(eve.person, ofEve(), 404);
  await becomesWithoutAccess(before);
  assert.equal(await stateOfBob(), witness);
});

/** The accounts and bindings that the tenant deleted were made again, as others of the same names. */
async function becomesWithoutAccess(wanted: readonly string[]): Promise<void> {
  const ofOthers = (entries: readonly string[]): readonly string[] =>
    entries.map(entry => (entry.startsWith(`${eve.cluster} `) ? entry.replace(/ \S+$/, '') : entry)).sort();
  await eventually(
    async () => {
      assert.deepEqual(ofOthers(await census()), ofOthers(wanted));
      return true;
    },
    { timeoutMs: 60_000, pauseMs: 500, what: 'all clusters to be as before' },
  );
}

test('a tenant breaks out nowhere: other namespaces, clusters, rights and limits are not its own', async () => {
  const [before, witness] = [await census(), await stateOfBob()];
  const subject = [{ kind: 'User', name: 'eve' }] as const;
  const everything = binding('ClusterRoleBinding', 'ClusterRole/cluster-admin', subject);
  const onBob = { ...foo('stolen'), metadata: { name: 'stolen', namespace: bob.place } };
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' }, spec: { hard: { pods: '0' } } };
  const attempts: readonly [path: string, options?: CallOptions][] = [
    [foosPath(bob.place), { body: onBob }],
    [`${foosPath(bob.place)}/plane`, deletion],
    [`${foosPath(bob.place)}/plane`, finalizers(null)],
    [`${foosPath(bob.place)}/plane`, mergePatch({ metadata: { ownerReferences: null, labels: { a: 'b' } } })],
    [`${secretsPath(bob.place)}/token-admin.plane.kubeconfig`],
    [`${corePath('onboarding', bob.place)}/resourcequotas`, { body: quota }],
    [`${rbacPath('onboarding')}/clusterrolebindings`, { body: everything }],
    [groupPath('onboarding', crds), { body: boatDefinition() }],
    [`${groupPath('onboarding', crds)}/foos.foo.services.open-control-plane.io`, deletion],
    [groupPath('platform', 'openmcp.cloud/v1alpha1/serviceproviders/foo'), deletion],
    [`${groupPath('platform', 'openmcp.cloud/v1alpha1', 'openmcp-system')}/accessrecords`],
    [`${groupPath('platform', 'openmcp.cloud/v1alpha1', 'openmcp-system')}/accessrecords`, deletion],
    [`${groupPath('platform', 'clusters.openmcp.cloud/v1alpha1')}/accessrequests`],
    [`${corePath('workload')}/namespaces`],
    [`${corePath(bob.cluster)}/configmaps`],
    [`${corePath(bob.cluster, 'default')}/configmaps`, { body: configMap('stolen') }],
    [
      `${groupPath(bob.cluster, crds)}/${itemDefinition}`,
      applyPatch({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: itemDefinition },
      }),
    ],
  ];
  for (const caller of [eve.person, eve.owner])
    for (const [path, options] of attempts) {
      const status = await attempt(caller, path, options);
      assert.ok([401, 403].includes(status), `${options?.method ?? 'GET'} ${path}: ${status}`);
    }
  await becomes(before);
  assert.equal(await stateOfBob(), witness);
});

test('a tenant cannot make up what the landscape and providers write about services that were let go', async () => {
  const before = await census();
  const api = groupPath('onboarding', 'core.chandlery.io/v1alpha1', eve.place);
  const forged = {
    apiVersion: 'core.chandlery.io/v1alpha1',
    kind: 'RetainedService',
    metadata: { name: 'foo-plane' },
    spec: {
      provider: 'foo',
      service: { group: 'foo.services.open-control-plane.io', kind: 'Foo', name: 'plane' },
      requests: [{ kind: 'ClusterRequest', namespace: 'openmcp-system', name: 'foo--onboarding' }],
    },
  };
  await attempt(eve.person, `${api}/retainedservices`, { body: forged });
  await attempt(eve.person, `${api}/retainedservices/foo-plane`, deletion);
  await untilStatus(eve.person, `${api}/retainedservices/foo-plane`, 404);
  await becomes(before);
  await create(eve.person, `${corePath('onboarding', eve.place)}/configmaps`, configMap('mine'));
  assert.equal(await attempt(eve.person, `${corePath('onboarding', eve.place)}/configmaps/mine`, deletion), 200);
});
