import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@chandlery/client';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { createAzureCloud } from '../../endpoints/clouds/azure/azure-cloud.ts';
import {
  startTestAzureServer,
  testSecret,
  testSubscription,
  testTenant,
} from '../../endpoints/clouds/azure/test-azure-server.ts';
import { fastRate, fastTime, startCloudPlane } from '../../endpoints/clouds/test-cloud-world.ts';
import { cloudAccounts } from '../../kinds/clouds/cloud-account.ts';
import { startCloudControllers } from './start-cloud-controllers.ts';

const eventQueue = { storageAccount: 'meshevents', queue: 'machines' };
const spec = { azure: { tenantId: testTenant, subscriptionId: testSubscription, eventQueue }, pollSeconds: 5 };

const reasonIs = (client: Client, namespace: string, type: string, reason: string): Promise<string> =>
  eventually(
    async () => {
      const account = await client.get({ ...cloudAccounts.ref, namespace, name: 'prod' });
      const condition = findCondition(account, type);
      return condition?.reason === reason ? (condition.message ?? reason) : undefined;
    },
    { what: `${type} of ${namespace} with the reason ${reason}` },
  );

test('tenants that name the same account need credentials of their own, or the leave for their namespace', async () => {
  await using server = await startTestAzureServer();
  const cloud = createAzureCloud({ endpoint: server.url, rateLimit: fastRate });
  await using plane = await startCloudPlane(cloud);
  const { client } = plane;
  const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
  const create = (namespace: string, more: object) =>
    client.create(
      { ...cloudAccounts.ref, namespace },
      cloudAccounts.object({ name: 'prod', namespace }, { ...spec, ...more }),
    );
  for (const name of ['first', 'second', 'third'])
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const secrets = { group: '', version: 'v1', plural: 'secrets', namespace: 'first' };
  await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: testSecret });
  await create('first', { credentialsSecret: 'key' });
  await create('second', { credentialsSecret: 'key' });
  await create('third', {});
  const asked: string[] = [];
  await using _controllers = startCloudControllers({
    ...{ client, clouds: [cloud], ...fastTime() },
    mayUseServerCredentials: (id, namespace) => {
      asked.push(`${namespace} ${id}`);
      return false;
    },
  });
  await reasonIs(client, 'first', 'Ready', 'Read');
  await reasonIs(client, 'first', 'EventsReceived', 'Receiving');
  assert.match(
    await reasonIs(client, 'second', 'Ready', 'CloudCredentialsInvalid'),
    /in namespace "second" \(Create it, with the entries that docs\/mesh-azure\.md names/,
  );
  await reasonIs(client, 'second', 'EventsReceived', 'CloudCredentialsInvalid');
  await reasonIs(client, 'third', 'Ready', 'CloudAccountNotAllowed');
  assert.match(await reasonIs(client, 'third', 'EventsReceived', 'CloudAccountNotAllowed'), /meshevents\/machines/);
  assert.deepEqual([...new Set(asked)].sort(), [`third azure:${testSubscription}`, 'third azure:meshevents/machines']);
});
