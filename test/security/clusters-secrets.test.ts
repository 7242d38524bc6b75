import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Caller, createCaller, type KubeJson } from './support/caller.ts';
import { accessRequest, accessRequestsPath, cluster, clustersPath } from './support/clusters.ts';
import { modesBelow } from './support/find-bytes.ts';
import { findLeaks } from './support/find-leaks.ts';
import { applyOnPlatform, providersPath, systemNamespace } from './support/foo-provider.ts';
import { corePath, create, expectStatus, groupPath, secret } from './support/objects.ts';
import {
  conditionOf,
  controlPlane,
  controlPlanesPath,
  createPerson,
  createReady,
  deletion,
  isReady,
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

const root = join(import.meta.dirname, '../..');
const example = join(root, 'examples/providers/postgres');
const home = 'project-sea--ws-north';

const closing = new AsyncDisposableStack();
let landscape: TestLandscape;
let admin: Caller;
let alice: Caller;

before(async () => {
  // Everything says as much as it can: what is not in a log at this level is in none.
  landscape = closing.use(await startTestLandscape({ flags: ['--log-level', 'debug'] }));
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  alice = closing.use(createPerson(landscape, 'alice'));
  await installPostgres();
  await createReady(alice, projectsPath, project({ name: 'sea' }));
  await createReady(alice, workspacesPath('project-sea'), workspace({ name: 'north' }));
  await createReady(alice, controlPlanesPath(home), controlPlane({ name: 'shop' }));
  await createReady(alice, databasesPath, {
    apiVersion: 'postgres.services.open-control-plane.io/v1alpha1',
    kind: 'PostgresDatabase',
    metadata: { name: 'shop' },
    spec: { version: '17' },
  } as { metadata: { name: string } });
});
after(() => closing.disposeAsync());

const databasesPath = `${groupPath('onboarding', 'postgres.services.open-control-plane.io/v1alpha1', home)}/postgresdatabases`;

async function installPostgres(): Promise<void> {
  const install = await readFile(join(example, 'install.yaml'), 'utf8');
  await applyOnPlatform(landscape, install.replaceAll('folder: examples', `folder: ${root}/examples`));
  expectStatus(await admin.send(`${providersPath}/postgres`, mergePatch({ spec: { verbosity: 'DEBUG' } })), 200);
  await until(admin, `${providersPath}/postgres`, isReady);
  await applyOnPlatform(landscape, await readFile(join(example, 'config.yaml'), 'utf8'));
}

/** What is in a Secret and no secret. */
const isPublic = (key: string): boolean =>
  ['ca.crt', 'host', 'port', 'database', 'username', 'creationTimestamp', 'expirationTimestamp', 'clientID'].includes(
    key,
  );

/** Of a token the end is enough; a kubeconfig is looked for by the token in it. */
const markerOf = (value: string): string[] => {
  const token = /eyJ[\w-]+\.[\w-]+\.([\w-]+)/.exec(value)?.[1];
  if (token !== undefined) return [token];
  return value.length >= 12 && !value.includes('\n') ? [value] : [];
};

/** All secret values on all clusters, by the place where they rightly are. */
async function allSecrets(): Promise<ReadonlyMap<string, string>> {
  const { items = [] } = (await admin.send(groupPath('platform', 'core.chandlery.io/v1alpha1/logicalclusters'))).json();
  const found = new Map<string, string>();
  for (const { metadata } of items) {
    const secrets = (await admin.send(`${corePath(metadata.name)}/secrets`)).json<{ items: KubeJson[] }>().items;
    for (const { metadata: at, data = {} } of secrets) {
      for (const [key, value] of Object.entries(data).filter(([each]) => !isPublic(each)))
        for (const marker of markerOf(Buffer.from(value, 'base64').toString()))
          found.set(`${metadata.name}/${at.namespace}/${at.name}/${key}`, marker);
    }
  }
  return found;
}

test('no value of any Secret is seen in an object of another kind, in a log or in the metrics', async () => {
  const secrets = await allSecrets();
  const places = [...secrets.keys()].join('\n');
  assert.match(places, /onboarding\/project-sea--ws-north\/postgresdatabase-shop-connection\/password/);
  assert.match(places, /onboarding\/project-sea--ws-north\/token-admin\.shop\.kubeconfig\/token/);
  assert.match(places, /platform\/openmcp-system\/.*\.kubeconfig\/token/);
  assert.match(places, /workload\/postgres-servers\/postgres-17\/password/);
  assert.deepEqual(await findLeaks(landscape, admin, [...new Set(secrets.values()), landscape.token]), []);
});

test('nor after credentials were renewed, and after everything was deleted', async () => {
  const before = await allSecrets();
  const kubeconfig = `${secretsPath(home)}/token-admin.shop.kubeconfig`;
  expectStatus(await admin.send(kubeconfig, deletion), 200);
  await until(alice, kubeconfig, ({ data }) => data?.['token'] !== undefined);
  expectStatus(await admin.send(`${secretsPath(home)}/postgresdatabase-shop-connection`, deletion), 200);
  await until(alice, `${secretsPath(home)}/postgresdatabase-shop-connection`, () => true);
  for (const path of [`${databasesPath}/shop`, `${controlPlanesPath(home)}/shop`]) {
    expectStatus(await alice.send(path, deletion), 200);
    await untilStatus(alice, path, 404);
  }
  const markers = new Set([...before.values(), ...(await allSecrets()).values()]);
  assert.deepEqual(await findLeaks(landscape, admin, [...markers]), []);
});

const marker = 'horse-staple-4711-battery';
const kubeconfigWith = (user: object, server = 'https://127.0.0.1:1') =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server } }],
    users: [{ name: 'x', user }],
  });

const brokenKubeconfigs: readonly { name: string; kubeconfig: string }[] = [
  { name: 'unreachable', kubeconfig: kubeconfigWith({ token: marker }) },
  { name: 'with-password', kubeconfig: kubeconfigWith({ username: 'x', password: marker }) },
  { name: 'password-in-address', kubeconfig: kubeconfigWith({ token: 'x' }, `https://x:${marker}@127.0.0.1:1`) },
  { name: 'bad-token', kubeconfig: kubeconfigWith({ token: `${marker}\n\u0000` }) },
  { name: 'bad-key', kubeconfig: kubeconfigWith({ 'client-key-data': btoa(marker), 'client-certificate-data': 'x' }) },
  { name: 'with-program', kubeconfig: kubeconfigWith({ exec: { command: 'sh', args: ['-c', marker] } }) },
  { name: 'not-yaml', kubeconfig: `users:\n- token: "${marker}\n  : ]` },
  { name: 'not-a-kubeconfig', kubeconfig: marker },
  { name: 'wrong-shape', kubeconfig: JSON.stringify({ users: marker, clusters: { token: marker } }) },
];

for (const { name, kubeconfig } of brokenKubeconfigs) {
  test(`a kubeconfig of an external cluster that is ${name} is complained about without being shown`, async () => {
    await create(admin, `${corePath('platform', systemNamespace)}/secrets`, secret(name, { kubeconfig }));
    await create(admin, clustersPath, cluster(name, { profile: 'external', clusterConfigs: [{ name }] }));
    const complaint = await until(
      admin,
      `${clustersPath}/${name}`,
      object => conditionOf(object, 'Ready')?.status === 'False',
    );
    assert.ok(!JSON.stringify(complaint).includes(marker), JSON.stringify(complaint.status));
    assert.ok(conditionOf(complaint, 'Ready')?.reason);
  });
}

test('a pod that fails with a Secret in its hands shows nothing of it, and its files are its own', async () => {
  const pods = `${corePath('workload', 'default')}/pods`;
  await create(admin, `${corePath('workload', 'default')}/secrets`, secret('held', { password: marker }));
  const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'held', key: 'password' } } }];
  const volumes = [{ name: 'held', secret: { secretName: 'held' } }];
  const container = { name: 'main', image: 'x', env, volumeMounts: [{ name: 'held', mountPath: '/held' }] };
  const podOf = (name: string, more: object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { restartPolicy: 'Never', volumes, containers: [{ ...container, ...more }] },
  });
  await create(admin, pods, podOf('failing', { command: ['sh', '-c', 'test -n "$PASSWORD" && exit 3'] }));
  // A command that names a variable is shown with the name; the value is in its place only in the process.
  await create(admin, pods, podOf('missing', { command: ['/no/such/$(PASSWORD)'] }));
  await create(
    admin,
    pods,
    podOf('probed', {
      command: ['sleep', '60'],
      readinessProbe: { exec: { command: ['false', '$(PASSWORD)'] }, periodSeconds: 1 },
    }),
  );
  // No program can be given a variable with this in it.
  const data = { password: btoa(`${marker}\u0000`) };
  await create(admin, `${corePath('workload', 'default')}/secrets`, { ...secret('odd'), data });
  const oddEnv = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'odd', key: 'password' } } }];
  await create(admin, pods, podOf('odd', { command: ['true'], env: oddEnv }));
  await until(admin, `${pods}/odd`, ({ status }) => status?.phase === 'Failed');
  await until(admin, `${pods}/failing`, ({ status }) => /"exitCode":3/.test(JSON.stringify(status)));
  await until(admin, `${pods}/missing`, ({ status }) => /ErrImagePull/.test(JSON.stringify(status)));
  await until(admin, `${pods}/probed`, ({ status }) => /running/.test(JSON.stringify(status)));
  const modes = [...(await modesBelow(join(landscape.dataDir, 'node')))];
  assert.equal(modes[0]?.[1], 0o700);
  const held = modes.filter(([path]) => /\.volumes\/.*\/(password|token|kubeconfig|[^/]*pass[^/]*)$/.test(path));
  assert.ok(held.length >= 4, String(held));
  for (const [path, mode] of held) assert.equal(mode & 0o077, 0, `${path} is ${mode.toString(8)}`);
});

test('of all that failed nothing is seen anywhere either', async () => {
  const denied = accessRequest('denied', 'unreachable', { token: { roleRefs: [{ kind: 'Role', name: 'x' }] } });
  await create(admin, accessRequestsPath(), denied);
  await until(admin, `${accessRequestsPath()}/denied`, object => conditionOf(object, 'Ready')?.status === 'False');
  assert.equal(await readSecret(admin, `${corePath('workload', 'default')}/secrets/held`, 'password'), marker);
  assert.deepEqual(await findLeaks(landscape, admin, [marker]), []);
});
