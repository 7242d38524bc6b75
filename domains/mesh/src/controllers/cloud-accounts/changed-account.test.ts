import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { createAzureCloud } from '../../endpoints/clouds/azure/azure-cloud.ts';
import {
  testSecret as azureSecret,
  startTestAzureServer,
  testSubscription as subscriptionId,
  testTenant as tenantId,
} from '../../endpoints/clouds/azure/test-azure-server.ts';
import { createGoogleCloud } from '../../endpoints/clouds/google/google-cloud.ts';
import {
  testKey as googleSecret,
  testProject as project,
  startTestGoogleServer,
} from '../../endpoints/clouds/google/test-google-server.ts';
import { fastRate, fastTime } from '../../endpoints/clouds/test-cloud-world.ts';
import { azureResources } from '../../kinds/clouds/azure-resource.ts';
import { cloudAccounts } from '../../kinds/clouds/cloud-account.ts';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import { googleResources } from '../../kinds/clouds/google-resource.ts';
import { type EndpointSet, endpointSets } from '../../kinds/endpoint-set.ts';
import { startCloudControllers } from './start-cloud-controllers.ts';

const namespace = 'default';
const azure = { tenantId, subscriptionId };
const machine = { name: 'vm-1', zone: 'z', health: 'healthy' } as const;

/** An account of Azure, and a resource of each cloud that names it. */
async function start() {
  await using stack = new AsyncDisposableStack();
  const [ofAzure, ofGoogle] = [
    stack.use(await startTestAzureServer()),
    stack.use(await startTestGoogleServer()),
  ] as const;
  ofAzure.setMachines('books', [{ ...machine, service: 'books', ip: '10.1.0.1' }]);
  ofAzure.setMachines('other', [{ ...machine, name: 'vm-2', service: 'other', ip: '10.1.0.2' }]);
  ofGoogle.setMachines('books', [{ ...machine, service: 'books', ip: '10.2.0.1' }]);
  const kinds = [endpointSets, cloudAccounts, azureResources, googleResources];
  const plane = stack.use(await startTestPlane({ kinds: kinds.map(({ declaration }) => declaration) }));
  const { client } = plane;
  const put = (
    kind: { readonly ref: Ref; readonly apiVersion: string; readonly kind: string },
    name: string,
    more: object,
  ) =>
    client.patch(
      { ...kind.ref, namespace, name },
      {
        type: 'apply',
        force: true,
        body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, ...more },
      },
      { fieldManager: 'test' },
    );
  const putSecret = (name: string, stringData: object) => put(secrets, name, { stringData });
  const putAccount = (spec: object) => put(cloudAccounts, 'prod', { spec: { pollSeconds: 5, ...spec } });
  const common = { account: 'prod', service: 'books', ports: [{ name: 'http', port: 80 }] };
  const putResource = (kind: typeof azureResources | typeof googleResources, spec: object) =>
    put(kind, 'books', { spec: { ...common, ...spec } });
  await putSecret('azure-key', azureSecret);
  await putAccount({ azure, credentialsSecret: 'azure-key' });
  await putResource(azureResources, { tags: { app: 'books' } });
  await putResource(googleResources, { labels: { app: 'books' } });
  const options = { rateLimit: fastRate };
  const clouds = [
    createAzureCloud({ ...options, endpoint: ofAzure.url }),
    createGoogleCloud({ ...options, endpoint: ofGoogle.url }),
  ];
  stack.use(startCloudControllers({ client, clouds, ...fastTime(), mayUseServerCredentials: () => false }));
  const owned = stack.move();
  return {
    ...{ putSecret, putAccount, putResource },
    is: (kind: { readonly ref: Ref }, reason: string) =>
      eventually(
        async () => {
          const object = await client.get({ ...kind.ref, namespace, name: kind === cloudAccounts ? 'prod' : 'books' });
          const { reason: found, observedGeneration } = findCondition(object, 'Ready') ?? {};
          return found === reason && observedGeneration === object.metadata.generation;
        },
        { what: `${kind.ref.plural} with the reason ${reason}` },
      ),
    endpoints: async () =>
      (await client.list<EndpointSet>({ ...endpointSets.ref, namespace })).items.flatMap(({ spec }) =>
        spec.endpoints.map(({ ip }) => ip),
      ),
    machinesOf: async (kind: { readonly ref: Ref }) =>
      (await client.get<CloudResource>({ ...kind.ref, namespace, name: 'books' })).status?.machines,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type Ref = typeof cloudAccounts.ref;
const secrets = { ref: { group: '', version: 'v1', plural: 'secrets' }, apiVersion: 'v1', kind: 'Secret' };

test('an account that becomes one of another cloud is read as such, also when it cannot be read at first', async () => {
  await using world = await start();
  await world.is(azureResources, 'Resolved');
  await world.is(googleResources, 'UnknownAccount');
  await world.putAccount({ google: { project }, credentialsSecret: 'google-key' });
  await world.is(cloudAccounts, 'CloudCredentialsInvalid');
  await world.is(googleResources, 'Stale');
  await world.is(azureResources, 'UnknownAccount');
  assert.deepEqual([await world.endpoints(), await world.machinesOf(azureResources)], [[], 0]);
  await world.putSecret('google-key', googleSecret);
  await world.is(cloudAccounts, 'Read');
  await world.is(googleResources, 'Resolved');
  assert.deepEqual(await world.endpoints(), ['10.2.0.1']);
});

test('the machines of the account that was named before are found by no resource', async () => {
  await using world = await start();
  await world.is(azureResources, 'Resolved');
  const other = { ...azure, subscriptionId: subscriptionId.replace('1', '2') };
  await world.putAccount({ azure: other, credentialsSecret: 'azure-key' });
  await world.is(cloudAccounts, 'CloudDenied');
  await world.is(azureResources, 'Stale');
  await world.putResource(azureResources, { tags: { app: 'other' } });
  await world.is(azureResources, 'Stale');
  assert.deepEqual(await world.endpoints(), ['10.1.0.1'], 'the last known ones are kept');
});
