import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { JsonObject, KubeObject } from '@chandlery/api';
import { brokerKinds, serviceInstances } from '@chandlery/brokers/kinds';
import { createKernelClient, Kernel, openStore, soleLeader } from '@chandlery/kernel';
import { ordersKinds } from '@chandlery/orders/kinds';
import { tempFolder } from '@chandlery/testing';
import { orderedByBehaviours } from './ordered-by.ts';

const noCipher = { encrypt: (bytes: Uint8Array) => bytes, decrypt: (bytes: Uint8Array) => bytes };
const ref = { ...serviceInstances.ref, namespace: 'acme', name: 'db' };
const orderedBy = ({ spec }: KubeObject): unknown => (spec as JsonObject)['userInfo'];

test('an instance names who last changed what it asks for, whatever its writers say', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const kernel = stack.use(
    new Kernel({
      store: stack.use(await openStore({ type: 'sqlite', folder: folder.path })),
      cipher: noCipher,
      leadership: soleLeader,
      kinds: [...Object.values(brokerKinds), ordersKinds.orders].map(({ declaration }) => declaration),
      behaviours: orderedByBehaviours,
      onFailure: () => undefined,
    }),
  );
  await kernel.start();
  const connect = (username: string) =>
    stack.use(createKernelClient(kernel, { cluster: 'onboarding', user: { username, groups: ['system:masters'] } }));
  const [ann, ben] = [connect('ann'), connect('ben')];
  await ann.create(
    { group: '', version: 'v1', plural: 'namespaces' },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'acme' } },
  );
  const spec = { offeringName: 'postgres', planName: 'small', userInfo: { username: 'root' } };
  const created = await ann.create(ref, serviceInstances.object({ namespace: 'acme', name: 'db' }, spec));
  assert.deepEqual(orderedBy(created), { username: 'ann' });

  const change = (body: JsonObject, client = ben) => client.patch(ref, { type: 'merge', body });
  assert.deepEqual(orderedBy(await change({ metadata: { labels: { a: 'b' } } })), { username: 'ann' });
  assert.deepEqual(orderedBy(await change({ spec: { userInfo: null } })), { username: 'ann' });
  assert.deepEqual(orderedBy(await change({ spec: { planName: 'large' } }, connect('system:chandlery'))), {
    username: 'ann',
  });
  assert.deepEqual(orderedBy(await change({ spec: { planName: 'medium' } })), { username: 'ben' });

  const { ref: orders, apiVersion, kind } = ordersKinds.orders;
  const order = { apiVersion, kind, metadata: { name: randomUUID() }, spec: { service: 'urn:ivcap:service:x' } };
  assert.deepEqual(orderedBy(await ben.create({ ...orders, namespace: 'acme' }, order)), { username: 'ben' });

  const zoe = stack.use(createKernelClient(kernel, { cluster: 'onboarding', user: { username: 'zoe', groups: [] } }));
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
  const metadata = { name: 'zoe', namespace: 'acme' };
  await ann.create(
    { ...rbac, plural: 'rolebindings', namespace: 'acme' },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: rbac.group, kind: 'User', name: 'zoe' }],
    },
  );
  const foreign = { offeringName: 'postgres', planName: 'small', platformId: 'eu-1' };
  const toForeign = serviceInstances.object({ namespace: 'acme', name: 'foreign' }, foreign);
  await assert.rejects(zoe.create({ ...ref, name: 'foreign' }, toForeign), /spec\.platformId names a platform/);
  await assert.rejects(change({ spec: { platformId: 'eu-1' } }, zoe), { code: 'Forbidden' });
  await change({ spec: { platformId: 'service-manager' } }, zoe);
  await ann.create({ ...ref, name: 'foreign' }, toForeign);

  const own = { ...ref, name: 'own' };
  const adopted = serviceInstances.object({ namespace: 'acme', name: 'own' }, { ...spec, userInfo: undefined });
  assert.equal(orderedBy(await connect('system:chandlery').create(own, adopted)), undefined);
});
