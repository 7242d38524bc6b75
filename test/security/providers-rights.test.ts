import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { type Caller, createCaller } from './support/caller.ts';
import { accessRequest, accessRequestsPath, clusterRequest, clusterRequestsPath } from './support/clusters.ts';
import { filesBelow } from './support/find-bytes.ts';
import { fooConfigsPath, installFoo, providersPath, providerToken, systemNamespace } from './support/foo-provider.ts';
import {
  boatDefinition,
  corePath,
  create,
  expectFailure,
  expectStatus,
  groupPath,
  rbacPath,
  secret,
} from './support/objects.ts';
import { type AccountName, accountNames, providersTable } from './support/providers-table.ts';
import { isReady, mergePatch, type Stateful, until } from './support/tenants.ts';

const closing = new AsyncDisposableStack();
let folder: TempFolder;
let landscape: TestLandscape;
let admin: Caller;
let accounts: Readonly<Record<AccountName, Caller>>;

before(async () => {
  folder = closing.use(await tempFolder());
  landscape = closing.use(await startTestLandscape());
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  await installFoo(landscape, admin, folder);
  await until(admin, `${providersPath}/foo`, isReady);
  await furnish();
  const account = async (name: string): Promise<Caller> =>
    closing.use(createCaller(landscape, { token: await providerToken(admin, name) }));
  accounts = {
    run: await account('sp-foo'),
    init: await account('sp-foo-init'),
    bystander: await account('bystander'),
  };
});
after(() => closing.disposeAsync());

/** Things of others beside those of the provider. */
async function furnish(): Promise<void> {
  for (const namespace of ['default', 'kube-system', systemNamespace])
    await create(admin, `${corePath('platform', namespace)}/secrets`, secret('precious', { word: 'swordfish' }));
  await create(admin, `${corePath('platform', systemNamespace)}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'bystander' },
  });
  await create(admin, providersPath, {
    apiVersion: 'openmcp.cloud/v1alpha1',
    kind: 'ServiceProvider',
    metadata: { name: 'other' },
    spec: { image: 'example.com/other:v1' },
  });
}

for (const row of providersTable) {
  const method = row.options?.method ?? (row.options?.body === undefined ? 'GET' : 'POST');
  const who = row.allowed.length === 0 ? 'no account' : row.allowed.join(', ');
  test(`${method} ${row.path} is for ${who}`, async () => {
    const { status, text } = await admin.send(row.path, row.options);
    assert.ok(status < 300, `what is refused must be there to be had: ${text}`);
    for (const name of accountNames) {
      const answer = await accounts[name].send(row.path, row.options);
      if (row.allowed.includes(name)) expectStatus(answer, row.status ?? 200, `${name} ${row.why ?? ''}`);
      else expectFailure(answer, 403, `${name} ${row.why ?? ''}`);
    }
  });
}

test('the definition of a provider is deleted by no account, and by the administrator only with a confirmation', async () => {
  const definitions = groupPath('platform', 'apiextensions.k8s.io/v1/customresourcedefinitions');
  const path = `${definitions}/providerconfigs.foo.services.open-control-plane.io?dryRun=All`;
  for (const somebody of [admin, ...accountNames.map(name => accounts[name])])
    expectFailure(await somebody.send(path, { method: 'DELETE' }), 403);
});

test('the roles of a provider name what they give: nothing is a wildcard, nothing is about roles', async () => {
  for (const [path, name] of [
    [`${rbacPath('platform')}/clusterroles`, 'chandlery:sp-foo'],
    [`${rbacPath('platform')}/clusterroles`, 'chandlery:sp-foo-init'],
    [`${rbacPath('platform')}/clusterroles`, 'chandlery:provider-in-tenant-namespace'],
    [`${rbacPath('platform', systemNamespace)}/roles`, 'sp-foo'],
    [`${rbacPath('platform', systemNamespace)}/roles`, 'sp-foo-init'],
  ] as const) {
    const { rules } = expectStatus(await admin.send(`${path}/${name}`), 200, name).json<{ rules: object[] }>();
    const text = JSON.stringify(rules);
    for (const word of ['*', 'rbac', 'escalate', 'bind', 'impersonate', 'pods', 'deployments', 'serviceaccounts'])
      assert.ok(!text.includes(`"${word}`), `${name}: ${word}`);
  }
});

test('a provider whose rights are extended gets its own again', async () => {
  const path = `${rbacPath('platform')}/clusterroles/chandlery:sp-foo`;
  const { rules } = expectStatus(await admin.send(path), 200).json<{ rules: object[] }>();
  const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  expectStatus(await admin.send(path, mergePatch({ rules: all })), 200);
  await until(admin, path, object => JSON.stringify((object as { rules?: object }).rules) === JSON.stringify(rules));
  expectFailure(await accounts.run.send(`${corePath('platform')}/secrets`), 403);
});

test('a label on a kind of another owner gives a provider no rights on it', async () => {
  const definitions = groupPath('platform', 'apiextensions.k8s.io/v1/customresourcedefinitions');
  const label = mergePatch({ metadata: { labels: { 'openmcp.cloud/managed-by': 'foo' } } });
  for (const name of ['hostimages.clusters.chandlery.io', 'schedulerconfigs.clusters.chandlery.io']) {
    // Init may write definitions, but none of the landscape; what an administrator labels gives no rights either.
    expectFailure(await accounts.init.send(`${definitions}/${name}`, label), 403, name);
    expectStatus(await admin.send(`${definitions}/${name}`, label), 200, name);
  }
  const reconcile = mergePatch({ metadata: { annotations: { 'openmcp.cloud/operation': 'reconcile' } } });
  expectStatus(await admin.send(`${providersPath}/foo`, reconcile), 200);
  await until(
    admin,
    `${providersPath}/foo`,
    ({ metadata }) => metadata.annotations?.['openmcp.cloud/operation'] === undefined,
  );
  await until(admin, `${providersPath}/foo`, isReady);
  for (const kind of ['clusters.chandlery.io/v1alpha1/hostimages', 'clusters.chandlery.io/v1alpha1/schedulerconfigs'])
    expectFailure(await accounts.run.send(groupPath('platform', kind)), 403, kind);
});

test('a provider that claims kinds of Kubernetes or of the landscape gives tenants nothing by it', async () => {
  const onboarding = groupPath('onboarding', 'apiextensions.k8s.io/v1/customresourcedefinitions');
  await create(admin, onboarding, boatDefinition());
  const { status } = expectStatus(await accounts.run.send(`${providersPath}/foo`), 200).json<Stateful>();
  const claims = [
    { group: '', version: 'v1', kind: 'Secret' },
    { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'RoleBinding' },
    { group: 'core.openmcp.cloud', version: 'v1alpha1', kind: 'Workspace' },
    { group: 'example.org', version: 'v1', kind: 'Boat' },
  ];
  const resources = [...((status?.['resources'] ?? []) as object[]), ...claims];
  expectStatus(await accounts.run.send(`${providersPath}/foo/status`, mergePatch({ status: { resources } })), 200);
  const roleOf = (name: string) => `${rbacPath('onboarding')}/clusterroles/chandlery:workspace:${name}`;
  const rules = async (name: string): Promise<string> => {
    const role = await until(admin, roleOf(name), object => JSON.stringify(object).includes('"boats"'));
    return JSON.stringify((role as { rules?: object }).rules);
  };
  assert.doesNotMatch(await rules('view'), /secrets|rolebindings|workspaces/);
  assert.match(await rules('admin'), /"secrets"\],"verbs":\["get","list","watch"\]/);
  assert.doesNotMatch(await rules('admin'), /rolebindings|workspaces|"secrets".*"secrets"/);
});

const everything = { token: { roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] } };
const secretsOf = (namespace: string): string => `${corePath('platform', namespace)}/secrets`;

test('a provider gets no more on the platform by asking for access to it, in whatever way', async () => {
  const { run } = accounts;
  await create(run, accessRequestsPath(), accessRequest('greedy', 'platform', everything));
  await create(run, clusterRequestsPath(), clusterRequest('greedy', 'platform'));
  await create(run, accessRequestsPath(), {
    ...accessRequest('roundabout', '', {}),
    spec: { requestRef: { name: 'greedy', namespace: systemNamespace }, ...everything },
  });
  for (const name of ['greedy', 'roundabout']) {
    const path = `${accessRequestsPath()}/${name}`;
    const denied = await until(run, path, ({ status }) => status?.phase === 'Denied');
    assert.match(JSON.stringify(denied.status), /PlatformCluster/);
    expectStatus(await admin.send(`${secretsOf(systemNamespace)}/${name}.kubeconfig`), 404);
  }
  const { items = [] } = (await admin.send(`${corePath('platform', 'openmcp-access')}/serviceaccounts`)).json();
  assert.deepEqual(items, []);
});

interface PodJson extends Stateful {
  readonly spec: { readonly containers: readonly { readonly name: string }[] };
}

test('the files of a running provider hold just its own account, for its owner alone', async () => {
  const pods = `${corePath('platform', systemNamespace)}/pods`;
  const { items } = expectStatus(await admin.send(pods), 200).json<{ items: PodJson[] }>();
  const pod = items.find(({ metadata }) => metadata.name.startsWith('sp-foo-') && !metadata.name.includes('init'));
  const place = `${landscape.dataDir}/node/pods/${pod?.metadata.uid ?? assert.fail('no pod of the provider')}`;
  const files = await filesBelow(place);
  const token = files.find(file => file.endsWith('/token')) ?? assert.fail(files.join('\n'));
  await using provider = createCaller(landscape, { token: (await readFile(token, 'utf8')).trim() });
  expectStatus(await provider.send(fooConfigsPath), 200);
  expectFailure(await provider.send(`${corePath('platform', 'kube-system')}/secrets/precious`), 403);
  expectFailure(await provider.send('/clusters/onboarding/api/v1/secrets'), 401);
  for (const file of files.filter(each => !each.endsWith('.log'))) {
    const text = await readFile(file, 'utf8');
    assert.ok(!text.includes(landscape.token) && !text.includes('PRIVATE KEY'), file);
  }
});

test('with a provider go its accounts, and their tokens at once', async () => {
  await using run = createCaller(landscape, { token: await providerToken(admin, 'sp-other-init') });
  expectStatus(await run.send(`${providersPath}/other`), 200);
  expectStatus(await admin.send(`${providersPath}/other`, { method: 'DELETE' }), 200);
  await until(admin, providersPath, object => !JSON.stringify(object).includes('"name":"other"'));
  expectFailure(await run.send(`${providersPath}/foo`), 401);
});
