import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anything, defineKind } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { installKinds } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { startTestBroker } from '../../test-broker.ts';
import { platformAdapterContract } from '../platform-adapter-contract.ts';
import type { BrokerObject } from './broker-object.ts';
import { createKubernetesAdapter } from './create-kubernetes-adapter.ts';

const clusterServiceBrokers = defineKind({
  group: 'servicecatalog.k8s.io',
  version: 'v1beta1',
  kind: 'ClusterServiceBroker',
  scope: 'Cluster',
  description: 'A broker, as service-catalog has it.',
  spec: anything('A broker.'),
});

/** Groups of the Kubernetes project need an approval, or the word that there is none. */
const approved = {
  ...clusterServiceBrokers.crd,
  metadata: {
    ...clusterServiceBrokers.crd.metadata,
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
  },
};

async function open({ hasServiceCatalog }: { hasServiceCatalog: boolean }) {
  const plane = await startTestPlane();
  const broker = await startTestBroker();
  const tester = plane.connect('onboarding');
  if (hasServiceCatalog) await installKinds(tester, [approved], { fieldManager: 'test' });
  const adapter = await createKubernetesAdapter({
    client: plane.connect('onboarding'),
    logger: silentLogger,
    secretNamespace: 'brokers',
    retryMs: 20,
  });
  return {
    adapter,
    tester,
    urls: [`${broker.url}/v1/osb/id-1`, `${broker.url}/v1/osb/id-2`] as const,
    async [Symbol.asyncDispose]() {
      await adapter[Symbol.asyncDispose]();
      await broker[Symbol.asyncDispose]();
      await plane[Symbol.asyncDispose]();
    },
  };
}

platformAdapterContract('service-catalog', () => open({ hasServiceCatalog: true }));
platformAdapterContract('own kinds', () => open({ hasServiceCatalog: false }));

const registration = { brokerId: 'id-1', name: 'sm-one-id-1', credentials: { username: 'u', password: 'p' } };

test('an update keeps what others wrote and raises the relist counter', async () => {
  await using deps = await open({ hasServiceCatalog: true });
  const { adapter, tester, urls } = deps;
  await adapter.createBroker({ ...registration, url: urls[0] });
  const ref = { ...clusterServiceBrokers.ref, name: registration.name };
  await tester.patch(ref, { type: 'merge', body: { metadata: { labels: { team: 'a' } } } });
  const [current] = await adapter.listBrokers();
  assert.ok(current);
  await Promise.all([adapter.refetchCatalog(current), adapter.refetchCatalog(current)]);
  await adapter.updateBroker(current, { brokerId: 'id-1', name: registration.name, url: urls[1] });
  const { metadata, spec } = await tester.get<BrokerObject>(ref);
  assert.deepEqual(metadata.labels, { team: 'a' });
  assert.equal(spec.relistRequests, 2);
  assert.equal(spec.relistBehavior, 'Manual');
  assert.equal(spec.url, urls[1]);
});

test('a broker whose secret was deleted already can be deleted', async () => {
  await using deps = await open({ hasServiceCatalog: true });
  const { adapter, tester, urls } = deps;
  await adapter.createBroker({ ...registration, url: urls[0] });
  await tester.delete({ group: '', version: 'v1', plural: 'secrets', namespace: 'brokers', name: 'id-1' });
  const [current] = await adapter.listBrokers();
  assert.ok(current);
  await adapter.deleteBroker(current, 'id-1');
  assert.deepEqual(await adapter.listBrokers(), []);
});

for (const hasServiceCatalog of [true, false]) {
  test(`a rename keeps the credentials, ${hasServiceCatalog ? 'with' : 'without'} service-catalog`, async () => {
    await using deps = await open({ hasServiceCatalog });
    const { adapter, tester, urls } = deps;
    await adapter.createBroker({ ...registration, url: urls[0] });
    const [current] = await adapter.listBrokers();
    assert.ok(current);
    await adapter.updateBroker(current, { brokerId: 'id-1', name: 'sm-two-id-1', url: urls[0] });
    await eventually(async () => (await adapter.listBrokers()).length === 1, { what: 'the old object to go' });
    const ref = { group: '', version: 'v1', plural: 'secrets', namespace: 'brokers', name: 'id-1' };
    const { data } = (await tester.get(ref)) as unknown as { data: Record<string, string> };
    assert.equal(data['username'], Buffer.from('u').toString('base64'));
  });
}
