import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Caller, createCaller } from './support/caller.ts';
import { clusterRequest, clusterRequestsPath, clustersPath, hostImage, hostImagesPath } from './support/clusters.ts';
import { providersPath, systemNamespace } from './support/foo-provider.ts';
import { configMap, corePath, create, createAccount, expectFailure, expectStatus } from './support/objects.ts';
import { conditionOf, createPerson, mergePatch, type Stateful, until } from './support/tenants.ts';

const closing = new AsyncDisposableStack();
let landscape: TestLandscape;
let admin: Caller;
/** The same with `--local-clusters off`. */
let without: TestLandscape;
let operator: Caller;

const marker = 'variable-of-the-server-4711';

before(async () => {
  const env = { SECRET_OF_THE_SERVER: marker, CHANDLERY_LOG_LEVEL: 'info', AWS_SECRET_ACCESS_KEY: marker };
  landscape = closing.use(await startTestLandscape({ env }));
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  without = closing.use(await startTestLandscape({ flags: ['--local-clusters', 'off'] }));
  operator = closing.use(createCaller(without, { token: without.token }));
});
after(() => closing.disposeAsync());

const pods = `${corePath('platform', 'default')}/pods`;
const podOf = (name: string, container: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x', ...container }] },
});
const isRunning = ({ status }: Stateful): boolean => status?.phase === 'Running';

/** Starts a pod that sleeps, and returns the number of its first process once that executes the command. */
async function runPod(name: string, container: object): Promise<number> {
  await create(admin, pods, podOf(name, container));
  const { metadata } = await until(admin, `${pods}/${name}`, isRunning);
  const file = join(landscape.dataDir, 'node/pods', metadata.uid, 'main/pid');
  const pid = Number.parseInt(await readFile(file, 'utf8'), 10);
  // Before, it is the shell that waits for leave to do so.
  const command = () => readFile(`/proc/${pid}/comm`, 'utf8');
  await eventually(async () => (await command()).trim() === 'sleep', { what: 'the command of the container' });
  return pid;
}

const environmentOf = async (pid: number): Promise<ReadonlyMap<string, string>> => {
  const entries = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter(entry => entry !== '');
  return new Map(entries.map(entry => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
};

/** What a process has open, by number. */
async function filesOf(pid: number | 'self'): Promise<string[]> {
  const numbers = (await readdir(`/proc/${pid}/fd`)).map(Number).sort((a, b) => a - b);
  const links = numbers.map(number => readlink(`/proc/${pid}/fd/${number}`).catch(() => 'closed'));
  return (await Promise.all(links)).filter(link => link !== 'closed' && link !== '/dev/null');
}

const childrenOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');

/** What every process gets, and what the shell that starts it adds. */
const known = [
  ...['PATH', 'HOME', 'TMPDIR', 'HOSTNAME', 'KUBECONFIG', 'PWD', 'OLDPWD', 'SHLVL', '_'],
  ...['CHANDLERY_POD_NAME', 'CHANDLERY_POD_NAMESPACE', 'CHANDLERY_POD_UID', 'CHANDLERY_CONTAINER'],
  ...['CHANDLERY_NODE', 'CHANDLERY_RUN'],
];

test("the process of a container has none of the server's variables, files and secrets", async () => {
  await create(admin, hostImagesPath, hostImage('sleeper', 'sleeper', ['sleep', '600']));
  const byCommand = await runPod('by-command', { command: ['sleep', '600'], env: [{ name: 'OWN', value: 'yes' }] });
  const byImage = await runPod('by-image', { image: 'sleeper:v1' });
  const server = await environmentOf(landscape.process.pid);
  assert.equal(server.get('SECRET_OF_THE_SERVER'), marker);
  for (const pid of [byCommand, byImage]) {
    const variables = await environmentOf(pid);
    assert.deepEqual(
      [...variables.keys()].filter(name => !known.includes(name) && name !== 'OWN'),
      [],
    );
    const text = JSON.stringify([...variables]);
    assert.ok(!text.includes(marker) && !text.includes(landscape.token), text);
    assert.notEqual(variables.get('HOME'), server.get('HOME'));
    // Variables that the test process inherited are passed on, and are not the server's.
    const given = await filesOf('self');
    assert.deepEqual((await filesOf(pid)).filter(file => !given.includes(file)).slice(2), []);
    assert.ok((await readlink(`/proc/${pid}/cwd`)).startsWith(join(landscape.dataDir, 'node/pods')));
  }
});

test('the commands of probes and hooks have none of them either', async () => {
  const readinessProbe = { exec: { command: ['sh', '-c', 'env > "$HOME/seen"'] }, periodSeconds: 1 };
  const pid = await runPod('probed', { command: ['sleep', '600'], readinessProbe });
  await until(admin, `${pods}/probed`, object => conditionOf(object, 'Ready')?.status === 'True');
  const home = (await environmentOf(pid)).get('HOME') ?? assert.fail('no HOME');
  const seen = await readFile(join(home, 'seen'), 'utf8');
  assert.match(seen, /CHANDLERY_POD_NAME=probed/);
  assert.ok(!seen.includes(marker) && !seen.includes('SECRET'), seen);
});

test('only operators say what stands for an image', async () => {
  await using person = createPerson(landscape, 'alice');
  const { token } = await createAccount(admin, 'platform', 'somebody');
  await using account = createCaller(landscape, { token });
  await using anonymous = createCaller(landscape);
  for (const caller of [person, account, anonymous]) {
    expectFailure(await caller.send(hostImagesPath), 403);
    expectFailure(await caller.send(hostImagesPath, { body: hostImage('evil', '*', ['sh']) }), 403);
    expectFailure(await caller.send(`${hostImagesPath}/sleeper`, mergePatch({ spec: { command: ['sh'] } })), 403);
    expectFailure(await caller.send(pods, { body: podOf('evil', { command: ['sh'] }) }), 403);
  }
});

const out = '../../../../../..';

test('names and paths in a pod do not lead out of its folder', async () => {
  await create(admin, `${corePath('platform', 'default')}/configmaps`, configMap('c', { a: 'escaped' }));
  const hostile = [
    { volume: { configMap: { name: 'c', items: [{ key: 'a', path: `${out}/escaped` }] } }, mount: {} },
    { volume: { emptyDir: {} }, mount: { subPath: out } },
  ];
  for (const [index, { volume, mount }] of hostile.entries()) {
    const name = `hostile-${index}`;
    const volumeMounts = [{ name: 'v', mountPath: '/v', ...mount }];
    const { spec, ...rest } = podOf(name, { command: ['sleep', '600'], volumeMounts });
    const answer = await admin.send(pods, {
      body: { ...rest, spec: { ...spec, volumes: [{ name: 'v', ...volume }] } },
    });
    expectStatus(answer, 201);
    await until(admin, `${pods}/${name}`, ({ status }) => /leads out of its volume/.test(JSON.stringify(status)));
  }
  const pid = await runPod('wandering', { command: ['sleep', '600'], workingDir: out });
  assert.ok((await readlink(`/proc/${pid}/cwd`)).startsWith(join(landscape.dataDir, 'node/pods')));
});

test('without local clusters a cluster says that it runs nothing, and nothing runs', async () => {
  await create(operator, clusterRequestsPath(), clusterRequest('workload', 'workload'));
  for (const name of ['platform', 'workload']) {
    const object = await until(
      operator,
      `${clustersPath}/${name}`,
      each => conditionOf(each, 'Ready')?.reason === 'NoNode',
    );
    assert.equal(conditionOf(object, 'Ready')?.status, 'False');
    assert.match(conditionOf(object, 'Ready')?.message ?? '', /no node to run pods/);
  }
  await create(operator, hostImagesPath, hostImage('toucher', '*', ['touch', join(without.dataDir, 'ran')]));
  await create(operator, pods, podOf('idle', { image: 'toucher' }));
  await create(operator, `${corePath('workload', 'default')}/pods`, podOf('idle', { image: 'toucher' }));
  await create(operator, providersPath, {
    apiVersion: 'openmcp.cloud/v1alpha1',
    kind: 'ServiceProvider',
    metadata: { name: 'idle' },
    spec: { image: 'toucher' },
  });
  await until(operator, `${providersPath}/idle`, each => conditionOf(each, 'Initialized')?.reason === 'NoNode');
  expectStatus(
    await operator.send(`/clusters/platform/apis/batch/v1/namespaces/${systemNamespace}/jobs/sp-idle-init`),
    404,
  );
  for (const path of [`${pods}/idle`, `${corePath('workload', 'default')}/pods/idle`]) {
    const { spec, status } = expectStatus(await operator.send(path), 200).json<Stateful>();
    assert.deepEqual([spec?.['nodeName'], status?.phase], [undefined, 'Pending']);
  }
  for (const cluster of ['platform', 'workload'])
    assert.deepEqual((await operator.send(`${corePath(cluster)}/nodes`)).json().items, []);
  assert.equal(await childrenOf(without.process.pid), '');
  assert.ok(!existsSync(join(without.dataDir, 'node')) && !existsSync(join(without.dataDir, 'ran')));
  assert.notEqual(await childrenOf(landscape.process.pid), '');
});
