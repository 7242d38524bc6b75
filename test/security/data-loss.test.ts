import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Caller, createCaller } from './support/caller.ts';
import { type Census, missingFrom, readAuditLog, takeCensus } from './support/census.ts';
import {
  binding,
  boatDefinition,
  create,
  createAccount,
  createCluster,
  expectFailure,
  expectStatus,
  groupPath,
  rbacPath,
} from './support/objects.ts';
import { controlPlane, controlPlanesPath, deletion, isReady, mergePatch, until } from './support/tenants.ts';

const closing = new AsyncDisposableStack();
let landscape: TestLandscape;
let admin: Caller;
let crdWriter: Caller;

const crdsPath = (cluster: string): string => groupPath(cluster, 'apiextensions.k8s.io/v1/customresourcedefinitions');
const providersPath = groupPath('platform', 'openmcp.cloud/v1alpha1/serviceproviders');
const boatsPath = groupPath('onboarding', 'example.org/v1', 'default/boats');
const absentOwner = [
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '00000000-0000-4000-8000-000000000000' },
];

before(async () => {
  landscape = closing.use(await startTestLandscape());
  admin = closing.use(createCaller(landscape, { token: landscape.token }));
  for (const name of ['tenant-a', 'tenant-b']) await createCluster(admin, name);
  crdWriter = await crdAccount();
});
after(() => closing.disposeAsync());

/** An account of the platform cluster with the rights on CRDs that the init of a provider has, and no others. */
async function crdAccount(): Promise<Caller> {
  const { token } = await createAccount(admin, 'platform', 'crd-writer');
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch'];
  await create(admin, `${rbacPath('platform')}/clusterroles`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'crd-writer' },
    rules: [{ apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs }],
  });
  const subjects = [{ kind: 'ServiceAccount', name: 'crd-writer', namespace: 'default' }] as const;
  const bound = binding('ClusterRoleBinding', 'ClusterRole/crd-writer', subjects);
  await create(admin, `${rbacPath('platform')}/clusterrolebindings`, bound);
  return closing.use(createCaller(landscape, { token }));
}

const shadowOf = (group: string, plural: string) => {
  const { spec, ...crd } = boatDefinition();
  const annotations = { 'api-approved.kubernetes.io': 'unapproved' };
  const metadata = { name: `${plural}.${group}`, annotations, ownerReferences: absentOwner };
  return { ...crd, metadata, spec: { ...spec, group, names: { plural, kind: 'Shadow' } } };
};

/** Nothing is lost, also not some time later: garbage collection would have begun within milliseconds. */
async function expectNothingLost(census: Census): Promise<void> {
  // A marker that garbage collection must remove: when it is deleted, so is whatever else was to be removed.
  const marker = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'marker', ownerReferences: absentOwner } };
  const path = '/clusters/platform/api/v1/namespaces/default/configmaps';
  await create(admin, path, marker);
  await eventually(async () => (await admin.send(`${path}/marker`)).status === 404);
  assert.deepEqual(missingFrom(census, await takeCensus(admin)), []);
}

test('a CRD named like a built-in kind is rejected, and no object of any cluster is lost', async () => {
  const census = await takeCensus(admin);
  assert.ok([...census].some(entry => entry.includes('logicalclusters /tenant-a')));
  const shadows = [
    ['core.chandlery.io', 'logicalclusters'],
    ['rbac.authorization.k8s.io', 'clusterroles'],
    ['mesh.chandlery.io', 'meshrootcertificates'],
    ['split.smi-spec.io', 'trafficsplits'],
    ['apiextensions.k8s.io', 'customresourcedefinitions'],
  ] as const;
  for (const [group, plural] of shadows) {
    const answer = await crdWriter.send(crdsPath('platform'), { body: shadowOf(group, plural) });
    assert.ok([403, 422].includes(answer.status), `${plural}.${group}: ${answer.text}`);
    expectFailure(await admin.send(crdsPath('tenant-a'), { body: shadowOf(group, plural) }), 422, plural);
  }
  await expectNothingLost(census);
});

test('an account that may write CRDs cannot have those of the landscape deleted', async () => {
  const census = await takeCensus(admin);
  for (const name of ['clusters.clusters.openmcp.cloud', 'serviceproviders.openmcp.cloud']) {
    const path = `${crdsPath('platform')}/${name}`;
    expectStatus(await admin.send(path), 200, name);
    const body = { metadata: { ownerReferences: absentOwner } };
    expectFailure(await crdWriter.send(path, mergePatch(body)), 403, name);
  }
  await expectNothingLost(census);
});

test('deleting a control plane deletes no service that only shares its name, and every deletion is in the audit log', async () => {
  await create(admin, crdsPath('onboarding'), boatDefinition());
  const provider = { apiVersion: 'openmcp.cloud/v1alpha1', kind: 'ServiceProvider' };
  await create(admin, providersPath, {
    ...provider,
    metadata: { name: 'boats' },
    spec: { image: 'example.org/boats' },
  });
  const claim = { group: 'example.org', version: 'v1', kind: 'Boat' };
  const offer = (usesControlPlane: boolean) =>
    admin.send(
      `${providersPath}/boats/status`,
      mergePatch({ status: { resources: [{ ...claim, usesControlPlane }] } }),
    );
  expectStatus(await offer(false), 200);
  await create(admin, boatsPath, { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'shop' } });
  const census = await takeCensus(admin);
  await deleteControlPlane('shop');
  assert.deepEqual(missingFrom(census, await takeCensus(admin)), []);

  expectStatus(await offer(true), 200);
  await deleteControlPlane('shop', 'Deleting this control plane deletes Boat "shop".');
  const lost = missingFrom(census, await takeCensus(admin));
  assert.deepEqual(
    lost.map(entry => entry.split(' ').slice(0, 3).join(' ')),
    ['onboarding example.org/v1/boats default/shop'],
  );
  const cause = { component: 'controlplanes', object: 'default/shop' };
  for (const [cluster, resource] of [
    ['onboarding', 'boats'],
    ['platform', 'clusterrequests'],
    ['platform', 'accessrequests'],
  ] as const) {
    const deletions = (await readAuditLog(landscape)).filter(
      line => line['verb'] === 'delete' && line['resource'] === resource && line['cluster'] === cluster,
    );
    assert.ok(deletions.length > 0, `no line says that ${resource} were deleted`);
    for (const line of deletions)
      assert.deepEqual([line['user'], line['cause']], ['system:chandlery:controlplanes', cause]);
  }
});

/** Makes a control plane, waits for what it says of its deletion, and deletes it. */
async function deleteControlPlane(name: string, warning = 'No service uses this control plane.'): Promise<void> {
  const path = `${controlPlanesPath('default')}/${name}`;
  await create(admin, controlPlanesPath('default'), controlPlane({ name }));
  await until(admin, path, isReady);
  await until(admin, path, ({ status }) => status?.conditions?.some(({ message }) => message === warning) ?? false);
  expectStatus(await admin.send(path, deletion), 200);
  await eventually(async () => (await admin.send(path)).status === 404, { what: `${path} to go` });
}
