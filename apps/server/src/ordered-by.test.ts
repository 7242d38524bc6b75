import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, KubeObject } from '@chandlery/api';
import { brokerKinds, serviceInstances } from '@chandlery/brokers/kinds';
import { createKernelClient, Kernel, openStore, soleLeader } from '@chandlery/kernel';
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
      kinds: Object.values(brokerKinds).map(({ declaration }) => declaration),
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

  const own = { ...ref, name: 'own' };
  const adopted = serviceInstances.object({ namespace: 'acme', name: 'own' }, { ...spec, userInfo: undefined });
  assert.equal(orderedBy(await connect('system:chandlery').create(own, adopted)), undefined);
});
