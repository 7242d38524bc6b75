import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { type Caller, createCaller, type KubeJson } from './support/caller.ts';
import { hostImage, requestCluster } from './support/clusters.ts';
import { corePath, create, expectFailure, expectStatus, groupPath, secret } from './support/objects.ts';
import {
  controlPlane,
  controlPlanesPath,
  createPerson,
  createReady,
  deletion,
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

/** A user with a project, and with all rights on a control plane of their own. */
interface Tenant {
  readonly person: Caller;
  readonly owner: Caller;
  readonly cluster: string;
}

const closing = new AsyncDisposableStack();
const tenants = new Map<string, Tenant>();
let folder: TempFolder;
let landscape: TestLandscape;
let admin: Caller;
let workload: string;
let clusters: readonly string[];

before(async () => {
  folder = closing.use(await tempFolder());
  landscape = closing.use(await startTestLandscape());
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  for (const name of ['alice', 'bob']) tenants.set(name, await settle(name));
  workload = await requestCluster(admin, 'workload', 'workload');
  const { items = [] } = (await admin.send(groupPath('platform', 'core.chandlery.io/v1alpha1/logicalclusters'))).json();
  clusters = items.map(({ metadata }) => metadata.name);
  assert.ok(clusters.length >= 5, clusters.join(', '));
});
after(() => closing.disposeAsync());

async function settle(name: string): Promise<Tenant> {
  const person = closing.use(createPerson(landscape, name));
  await createReady(person, projectsPath, project({ name }));
  await createReady(person, workspacesPath(`project-${name}`), workspace({ name: 'main' }));
  await createReady(person, controlPlanesPath(`project-${name}--ws-main`), controlPlane({ name: 'plane' }));
  const kubeconfig = `${secretsPath(`project-${name}--ws-main`)}/token-admin.plane.kubeconfig`;
  const token = await readSecret(person, kubeconfig, 'token');
  const cluster = (await readSecret(person, kubeconfig, 'host')).split('/').at(-1) ?? '';
  return { person, owner: closing.use(createCaller(landscape, { token })), cluster };
}

const tenantNamed = (name: string): Tenant => tenants.get(name) ?? assert.fail(name);

const doors = [
  ...['', '/api', '/apis', '/api/v1/namespaces', '/api/v1/secrets', '/api/v1/pods', '/api/v1/nodes'],
  ...['/api/v1/namespaces/openmcp-system/secrets', '/api/v1/namespaces/openmcp-access/serviceaccounts'],
  ...['/apis/clusters.openmcp.cloud/v1alpha1/clusters', '/apis/clusters.openmcp.cloud/v1alpha1/accessrequests'],
  ...['/apis/clusters.chandlery.io/v1alpha1/hostimages', '/apis/openmcp.cloud/v1alpha1/serviceproviders'],
  ...['/apis/core.chandlery.io/v1alpha1/logicalclusters', '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
];

for (const name of ['alice', 'bob']) {
  test(`the kubeconfig of ${name}'s control plane opens that one and no other cluster`, async () => {
    const { owner, cluster } = tenantNamed(name);
    expectStatus(await owner.send(`/clusters/${cluster}/api/v1/secrets`), 200);
    for (const other of [...clusters.filter(each => each !== cluster), 'no-such-cluster']) {
      for (const door of doors) expectFailure(await owner.send(`/clusters/${other}${door}`), 401, `${other}${door}`);
      const body = secret('stolen');
      expectFailure(await owner.send(`${corePath(other, 'default')}/secrets`, { body }), 401, other);
    }
  });

  test(`${name} in person has nothing on any cluster but the one for tenants and the view of it`, async () => {
    const { person } = tenantNamed(name);
    for (const door of doors.slice(5)) {
      const { status } = await person.send(`/clusters/${name}${door}`);
      assert.ok(status === 403 || status === 404, `${name}${door} ${status}`);
    }
    for (const cluster of clusters.filter(each => each !== 'onboarding' && each !== name)) {
      for (const door of doors)
        expectFailure(await person.send(`/clusters/${cluster}${door}`), 403, `${cluster}${door}`);
    }
    for (const door of doors.slice(3)) {
      const answer = await person.send(`/clusters/onboarding${door}`);
      expectFailure(answer, 403, door);
    }
  });

  test(`${name} cannot impersonate another user, directly or by kubeconfig`, async () => {
    const { person, owner, cluster } = tenantNamed(name);
    const headers = { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' };
    for (const other of clusters) {
      const answer = await person.send(`/clusters/${other}/api/v1/secrets`, { headers });
      expectFailure(answer, 403, other);
      if (other !== cluster)
        expectFailure(await owner.send(`/clusters/${other}/api/v1/secrets`, { headers }), 401, other);
    }
  });
}

test('who makes a project of a name that was free again learns nothing of the earlier one', async () => {
  const { person: alice } = tenantNamed('alice');
  const { person: bob } = tenantNamed('bob');
  const path = `${projectsPath}/reused`;
  const namespacePath = corePath('onboarding', 'project-reused');
  const uidOf = async (of: string): Promise<string> => (await admin.send(of)).json<Stateful>().metadata.uid;
  await createReady(alice, projectsPath, project({ name: 'reused' }));
  const [uid, namespaceUid] = [await uidOf(path), await uidOf(namespacePath)];
  const secretly = mergePatch({ metadata: { annotations: { note: 'of-alice' } } });
  expectStatus(await alice.send(path, secretly), 200);
  expectStatus(await alice.send(path, deletion), 200);
  await untilStatus(admin, path, 404);
  await untilStatus(admin, namespacePath, 404);
  await createReady(bob, projectsPath, project({ name: 'reused' }));
  const past = await bob.send(`${path}?revisions`);
  expectStatus(past, 200);
  const items = past.json<{ items: readonly { readonly uid: string; readonly revision: string }[] }>().items;
  assert.ok(items.length > 0);
  assert.ok(items.every(item => item.uid !== uid));
  const all = (await admin.send(`${path}?revisions`)).json<{ items: typeof items }>().items;
  const ofAlice = all.filter(item => item.uid === uid);
  assert.ok(ofAlice.length > 0, 'operators see them');
  for (const { revision } of ofAlice) {
    const { text } = await bob.send(`${path}?revision=${revision}`);
    assert.doesNotMatch(text, /alice/);
  }
  const ofNamespace = await bob.send(`${namespacePath}?revisions`);
  expectStatus(ofNamespace, 200);
  assert.ok(!ofNamespace.text.includes(namespaceUid));
});

test('no tenant and no control plane can say what runs in place of an image', async () => {
  const path = groupPath('platform', 'clusters.chandlery.io/v1alpha1/hostimages');
  const before = (await admin.send(path)).json().items;
  for (const { person, owner, cluster } of tenants.values()) {
    const body = hostImage('evil', '*', ['touch', folder.join('evil')]);
    expectFailure(await person.send(path, { body }), 403);
    expectFailure(await owner.send(path, { body }), 401);
    expectFailure(await person.send(path.replace('platform', 'onboarding'), { body }), 403);
    expectFailure(await owner.send(path.replace('platform', cluster), { body }), 404);
  }
  assert.deepEqual((await admin.send(path)).json().items, before);
});

const touching = (file: string) => ({
  restartPolicy: 'Never',
  containers: [{ name: 'main', image: 'busybox', command: ['touch', file] }],
});

test('pods and what makes pods start nothing on a control plane, whatever its owner writes', async () => {
  const { owner, cluster } = tenantNamed('alice');
  const { items: nodes = [] } = (await admin.send(`${corePath(workload)}/nodes`)).json();
  const nodeName = nodes[0]?.metadata.name ?? assert.fail('the workload cluster has no node');
  const pods = `${corePath(cluster, 'default')}/pods`;
  const podOf = (name: string, spec: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { ...touching(folder.join(name)), ...spec },
  });
  const template = (name: string) => ({
    metadata: { labels: { app: name } },
    spec: { ...touching(folder.join(name)), restartPolicy: 'Always' },
  });
  const setOf = (kind: string, name: string) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: template(name) },
  });
  await create(owner, `${corePath(cluster)}/nodes`, { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName } });
  await create(owner, pods, podOf('plain'));
  await create(owner, pods, podOf('placed', { nodeName }));
  await create(owner, pods, podOf('bound'));
  const target = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'bound' },
    target: { kind: 'Node', name: nodeName },
  };
  expectStatus(await owner.send(`${pods}/bound/binding`, { body: target }), 201);
  await create(owner, `${groupPath(cluster, 'apps/v1', 'default')}/deployments`, setOf('Deployment', 'deployed'));
  await create(owner, `${groupPath(cluster, 'apps/v1', 'default')}/replicasets`, setOf('ReplicaSet', 'replicated'));
  await create(owner, `${groupPath(cluster, 'batch/v1', 'default')}/jobs`, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'worked' },
    spec: { template: { spec: touching(folder.join('worked')) } },
  });
  // The same pod where pods do run: once it is done, the others would have been too.
  await create(admin, `${corePath(workload, 'default')}/pods`, podOf('witness'));
  await until(admin, `${corePath(workload, 'default')}/pods/witness`, ({ status }) => status?.phase === 'Succeeded');
  await access(folder.join('witness'));
  for (const name of ['plain', 'placed', 'bound', 'deployed', 'replicated', 'worked'])
    await assert.rejects(access(folder.join(name)), name);
  const { items = [] } = (await owner.send(pods)).json();
  assert.deepEqual(items.map(({ metadata }) => metadata.name).sort(), ['bound', 'placed', 'plain']);
});

test('a pod of a control plane has no log, though it says that it ran', async () => {
  const { owner, cluster } = tenantNamed('alice');
  const placed = `${corePath(cluster, 'default')}/pods/placed`;
  const running = { startedAt: '2026-01-01T00:00:00Z' };
  const containerStatuses = [
    {
      name: 'main',
      image: 'busybox',
      imageID: '',
      ready: true,
      restartCount: 0,
      containerID: 'x://y',
      state: { running },
    },
  ];
  const answer = await owner.send(`${placed}/status`, mergePatch({ status: { phase: 'Running', containerStatuses } }));
  expectStatus(answer, 200);
  for (const query of ['', '?container=main', '?container=../../witness', '?previous=true']) {
    const { status, text } = await owner.send(`${placed}/log${query}`);
    assert.ok(status >= 400 && status < 600, `${query}: ${status} ${text}`);
  }
});

test('kinds of the landscape that a tenant defines on a control plane mean nothing', async () => {
  const { owner, cluster } = tenantNamed('bob');
  const definitions = (place: string) => groupPath(place, 'apiextensions.k8s.io/v1/customresourcedefinitions');
  for (const name of ['hostimages.clusters.chandlery.io', 'accessrequests.clusters.openmcp.cloud']) {
    const found = expectStatus(await admin.send(`${definitions('platform')}/${name}`), 200).json<
      KubeJson & { spec: object }
    >();
    const { apiVersion, kind, spec } = found;
    await create(owner, definitions(cluster), { apiVersion, kind, metadata: { name }, spec });
  }
  const images = groupPath(cluster, 'clusters.chandlery.io/v1alpha1/hostimages');
  const requests = `${groupPath(cluster, 'clusters.openmcp.cloud/v1alpha1', 'default')}/accessrequests`;
  await until(owner, `${definitions(cluster)}/accessrequests.clusters.openmcp.cloud`, ({ status }) =>
    JSON.stringify(status).includes('"Established","status":"True"'),
  );
  await create(owner, images, hostImage('evil', 'evil', ['touch', folder.join('evil')]));
  await create(owner, requests, {
    apiVersion: 'clusters.openmcp.cloud/v1alpha1',
    kind: 'AccessRequest',
    metadata: { name: 'evil' },
    spec: {
      clusterRef: { name: 'platform', namespace: 'openmcp-system' },
      token: { roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] },
    },
  });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'evil' },
    spec: { containers: [{ name: 'main', image: 'evil' }] },
  };
  await create(admin, `${corePath(workload, 'default')}/pods`, pod);
  await until(admin, `${corePath(workload, 'default')}/pods/evil`, ({ status }) =>
    /ErrImagePull|ImagePullBackOff/.test(JSON.stringify(status)),
  );
  await assert.rejects(access(folder.join('evil')));
  const { items = [] } = (await owner.send(`${corePath(cluster, 'default')}/secrets`)).json();
  assert.deepEqual(items, []);
  expectStatus(await owner.send(`${requests}/evil`), 200);
  assert.equal((await owner.send(`${requests}/evil`)).json().status, undefined);
});
