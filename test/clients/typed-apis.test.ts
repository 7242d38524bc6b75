import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  BatchV1Api,
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  type V1Status,
  VersionApi,
} from '@kubernetes/client-node';
import { changed } from './support/changed.ts';
import { callers, startTwoClients, type TwoClients } from './support/two-clients.ts';

let clients: TwoClients;

before(async () => {
  clients = await startTwoClients();
});
after(() => clients?.[Symbol.asyncDispose]());

const namespace = 'default';
const as = (type: string) => setHeaderOptions('Content-Type', type);
const container = { name: 'main', image: 'busybox' };
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [container] } };

/** The Status that the server rejected with. */
async function refusal(call: Promise<unknown>): Promise<V1Status> {
  const error = await call.then(
    () => assert.fail('the call must be refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiException, String(error));
  const status = JSON.parse(error.body as string) as V1Status;
  assert.equal(status.code, error.code);
  return status;
}

for (const who of callers) {
  const configOf = (): KubeConfig => clients.configs[who];

  test(`${who}: the version is one that clients understand`, async () => {
    const { major, gitVersion } = await configOf().makeApiClient(VersionApi).getCode();
    assert.equal(major, '1');
    assert.match(gitVersion, /^v1\.\d+/);
  });

  test(`${who}: the core API creates, reads, replaces, lists and deletes`, async () => {
    const core = configOf().makeApiClient(CoreV1Api);
    const body = { metadata: { name: 'settings', labels: { app: 'x' } }, data: { a: '1' } };
    const made = await core.createNamespacedConfigMap({ namespace, body });
    assert.ok(made.metadata?.uid);
    assert.ok(made.metadata?.creationTimestamp instanceof Date);
    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: 'settings',
      body: changed(made, { data: { a: '2' } }),
    });
    assert.deepEqual(replaced.data, { a: '2' });
    const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=x' });
    assert.deepEqual(
      items.map(item => item.metadata?.name),
      ['settings'],
    );
    const everywhere = await core.listConfigMapForAllNamespaces({ fieldSelector: 'metadata.name=settings' });
    assert.equal(everywhere.items.length, 1);
    const gone = await core.deleteNamespacedConfigMap({ namespace, name: 'settings' });
    assert.equal(gone.status, 'Success');
    assert.equal((await refusal(core.readNamespacedConfigMap({ namespace, name: 'settings' }))).reason, 'NotFound');
  });

  test(`${who}: secrets, service accounts and namespaces`, async () => {
    const core = configOf().makeApiClient(CoreV1Api);
    const secret = await core.createNamespacedSecret({
      namespace,
      body: { metadata: { name: 's' }, stringData: { key: 'value' } },
    });
    assert.equal(Buffer.from(secret.data?.['key'] ?? '', 'base64').toString(), 'value');
    await core.createNamespace({ body: { metadata: { name: 'extra' } } });
    assert.equal((await core.readNamespace({ name: 'extra' })).status?.phase, 'Active');
    await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'worker' } } });
    const spec = { audiences: [], expirationSeconds: 600 };
    const issued = await core.createNamespacedServiceAccountToken({ namespace, name: 'worker', body: { spec } });
    assert.ok(issued.status?.token);
    assert.ok((issued.status.expirationTimestamp ?? 0) > new Date());
  });

  test(`${who}: workloads with status and scale`, async () => {
    const apps = configOf().makeApiClient(AppsV1Api);
    const spec = { replicas: 1, selector: { matchLabels: { app: 'x' } }, template };
    const made = await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'web' }, spec } });
    assert.equal(made.metadata?.generation, 1);
    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'web' });
    assert.equal(scale.spec?.replicas, 1);
    await apps.replaceNamespacedDeploymentScale({
      namespace,
      name: 'web',
      body: changed(scale, { spec: { replicas: 3 } }),
    });
    const scaled = await apps.readNamespacedDeployment({ namespace, name: 'web' });
    assert.deepEqual([scaled.spec?.replicas, scaled.metadata?.generation], [3, 2]);
    const status = { observedGeneration: 2, replicas: 3 };
    const updated = await apps.replaceNamespacedDeploymentStatus({
      namespace,
      name: 'web',
      body: changed(scaled, { status }),
    });
    assert.deepEqual([updated.status?.replicas, updated.metadata?.generation], [3, 2]);
    const jobs = configOf().makeApiClient(BatchV1Api);
    const job = { template: { spec: { restartPolicy: 'Never', containers: [container] } } };
    await jobs.createNamespacedJob({ namespace, body: { metadata: { generateName: 'once-' }, spec: job } });
    assert.match((await jobs.listNamespacedJob({ namespace })).items[0]?.metadata?.name ?? '', /^once-[a-z0-9]{5}$/);
  });

  test(`${who}: roles and bindings`, async () => {
    const rbac = configOf().makeApiClient(RbacAuthorizationV1Api);
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    await rbac.createNamespacedRole({ namespace, body: { metadata: { name: 'reader' }, rules } });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
    const subjects = [{ kind: 'User', name: 'somebody' }];
    const bound = await rbac.createNamespacedRoleBinding({
      namespace,
      body: { metadata: { name: 'reader' }, roleRef, subjects },
    });
    assert.equal(bound.subjects?.[0]?.apiGroup, 'rbac.authorization.k8s.io');
    assert.ok((await rbac.listClusterRole()).items.some(role => role.metadata?.name === 'cluster-admin'));
  });

  test(`${who}: every patch type does what its name says`, async () => {
    const core = configOf().makeApiClient(CoreV1Api);
    await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: 'patched' }, data: { a: '1', b: '1' } },
    });
    const patch = (body: unknown, type: string, extra: object = {}) =>
      core.patchNamespacedConfigMap({ namespace, name: 'patched', body, ...extra }, as(type));
    const json = await patch([{ op: 'replace', path: '/data/a', value: '2' }], PatchStrategy.JsonPatch);
    assert.deepEqual(json.data, { a: '2', b: '1' });
    const merged = await patch({ data: { b: null, c: '3' } }, PatchStrategy.MergePatch);
    assert.deepEqual(merged.data, { a: '2', c: '3' });
    const strategic = await patch({ data: { $patch: 'replace', d: '4' } }, PatchStrategy.StrategicMergePatch);
    assert.deepEqual(strategic.data, { d: '4' });
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'patched' }, data: { d: '5', e: '6' } };
    const conflict = await refusal(patch(applied, PatchStrategy.ServerSideApply, { fieldManager: 'me' }));
    assert.equal(conflict.reason, 'Conflict');
    assert.equal(conflict.details?.causes?.[0]?.field, '.data.d');
    const forced = await patch(applied, PatchStrategy.ServerSideApply, { fieldManager: 'me', force: true });
    assert.deepEqual(forced.data, { d: '5', e: '6' });
    const { e: _, ...fewer } = applied.data;
    const shrunk = await patch({ ...applied, data: fewer }, PatchStrategy.ServerSideApply, { fieldManager: 'me' });
    assert.deepEqual(shrunk.data, { d: '5' });
    assert.ok(
      shrunk.metadata?.managedFields?.some(({ manager, operation }) => manager === 'me' && operation === 'Apply'),
    );
  });

  test(`${who}: lists of the strategic kind merge by key`, async () => {
    const apps = configOf().makeApiClient(AppsV1Api);
    const spec = { selector: { matchLabels: { app: 'x' } }, template };
    await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'merged' }, spec } });
    const body = { spec: { template: { spec: { containers: [{ name: 'side', image: 'busybox' }] } } } };
    const patched = await apps.patchNamespacedDeployment(
      { namespace, name: 'merged', body },
      as(PatchStrategy.StrategicMergePatch),
    );
    assert.deepEqual(patched.spec?.template.spec?.containers.map(({ name }) => name).sort(), ['main', 'side']);
  });

  test(`${who}: kinds of one's own, typed and untyped`, async () => {
    const crds = configOf().makeApiClient(ApiextensionsV1Api);
    const properties = {
      spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer', maximum: 9 } } },
    };
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties } },
      subresources: { status: {} },
    };
    const names = { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' };
    const made = await crds.createCustomResourceDefinition({
      body: {
        metadata: { name: 'boats.example.org' },
        spec: { group: 'example.org', scope: 'Namespaced', names, versions: [version] },
      },
    });
    assert.ok(made.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? true);
    const custom = configOf().makeApiClient(CustomObjectsApi);
    const place = { group: 'example.org', version: 'v1', namespace, plural: 'boats' };
    const boat = (size: unknown) => ({
      apiVersion: 'example.org/v1',
      kind: 'Boat',
      metadata: { name: 'b' },
      spec: { size },
    });
    const wrong = await refusal(custom.createNamespacedCustomObject({ ...place, body: boat(10) }));
    assert.deepEqual([wrong.reason, wrong.details?.causes?.[0]?.field], ['Invalid', 'spec.size']);
    await custom.createNamespacedCustomObject({ ...place, body: boat(3) });
    const list = (await custom.listNamespacedCustomObject(place)) as { items: { spec: { size: number } }[] };
    assert.deepEqual(
      list.items.map(({ spec }) => spec.size),
      [3],
    );
    const patch = [{ op: 'replace', path: '/spec/size', value: 4 }];
    const patched = (await custom.patchNamespacedCustomObject(
      { ...place, name: 'b', body: patch },
      as(PatchStrategy.JsonPatch),
    )) as { spec: object };
    assert.deepEqual(patched.spec, { size: 4 });
    const status = (await custom.patchNamespacedCustomObjectStatus(
      { ...place, name: 'b', body: { status: { afloat: true } } },
      as(PatchStrategy.MergePatch),
    )) as object;
    assert.ok(status);
  });

  test(`${who}: the object API finds any kind by discovery`, async () => {
    const objects = KubernetesObjectApi.makeApiClient(configOf());
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dynamic', namespace }, data: { a: '1' } };
    await objects.create(map);
    const read: KubernetesObject & { data?: object } = await objects.read(map);
    assert.ok(read.metadata?.uid);
    assert.deepEqual(read.data, { a: '1' });
    const applied = await objects.patch(
      { ...map, data: { a: '2' } },
      undefined,
      undefined,
      'me',
      true,
      PatchStrategy.ServerSideApply,
    );
    assert.deepEqual((applied as { data?: object }).data, { a: '2' });
    const boat = { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'c', namespace }, spec: { size: 1 } };
    await objects.create(boat);
    const listed = await objects.list('example.org/v1', 'Boat', namespace);
    assert.deepEqual(
      listed.items.map(item => item.metadata?.name),
      ['b', 'c'],
    );
    assert.equal((await objects.delete(boat)).status, 'Success');
  });

  test(`${who}: pages follow each other without gaps or repeats, whatever happens meanwhile`, async () => {
    const core = configOf().makeApiClient(CoreV1Api);
    const make = (name: string) => core.createNamespacedConfigMap({ namespace: 'extra', body: { metadata: { name } } });
    for (let index = 0; index < 25; index++) await make(`page-${String(index).padStart(2, '0')}`);
    const names: (string | undefined)[] = [];
    let token: string | undefined;
    do {
      const page = await core.listNamespacedConfigMap({
        namespace: 'extra',
        limit: 10,
        ...(token === undefined ? {} : { _continue: token }),
      });
      names.push(...page.items.map(item => item.metadata?.name));
      if (token === undefined) {
        assert.equal(page.metadata?.remainingItemCount, 15);
        await make('page-99');
        await core.deleteNamespacedConfigMap({ namespace: 'extra', name: 'page-20' });
      }
      token = page.metadata?._continue || undefined;
    } while (token !== undefined);
    assert.deepEqual(
      names,
      Array.from({ length: 25 }, (_, index) => `page-${String(index).padStart(2, '0')}`),
    );
  });

  test(`${who}: rejections are Status objects that say what is wrong`, async () => {
    const core = configOf().makeApiClient(CoreV1Api);
    const body = { metadata: { name: 'once' } };
    const made = await core.createNamespacedConfigMap({ namespace, body });
    assert.equal((await refusal(core.createNamespacedConfigMap({ namespace, body }))).reason, 'AlreadyExists');
    const invalid = await refusal(
      core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'Not Valid' } } }),
    );
    assert.deepEqual(
      [invalid.reason, invalid.code, invalid.details?.causes?.[0]?.field],
      ['Invalid', 422, 'metadata.name'],
    );
    await core.replaceNamespacedConfigMap({ namespace, name: 'once', body: changed(made, { data: { a: '1' } }) });
    const stale = await refusal(
      core.replaceNamespacedConfigMap({ namespace, name: 'once', body: changed(made, { data: { a: '2' } }) }),
    );
    assert.deepEqual([stale.reason, stale.code], ['Conflict', 409]);
    const nowhere = await refusal(core.createNamespacedConfigMap({ namespace: 'nowhere', body }));
    assert.deepEqual(
      [nowhere.reason, nowhere.details?.kind, nowhere.details?.name],
      ['NotFound', 'namespaces', 'nowhere'],
    );
    const preconditions = { uid: 'another' };
    const other = await refusal(core.deleteNamespacedConfigMap({ namespace, name: 'once', body: { preconditions } }));
    assert.equal(other.reason, 'Conflict');
  });

  test(`${who}: a collection is deleted by selector`, async () => {
    const core = configOf().makeApiClient(CoreV1Api);
    for (const [name, group] of [
      ['one', 'x'],
      ['two', 'x'],
      ['three', 'y'],
    ])
      await core.createNamespacedSecret({
        namespace: 'extra',
        body: { metadata: { name, labels: { group: group ?? '' } } },
      });
    await core.deleteCollectionNamespacedSecret({ namespace: 'extra', labelSelector: 'group=x' });
    const { items } = await core.listNamespacedSecret({ namespace: 'extra' });
    assert.deepEqual(
      items.map(item => item.metadata?.name),
      ['three'],
    );
  });
}
