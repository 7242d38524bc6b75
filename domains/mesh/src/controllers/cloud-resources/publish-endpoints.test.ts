import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAzureCloud } from '../../endpoints/clouds/azure/azure-cloud.ts';
import {
  startTestAzureServer,
  testSubscription as subscriptionId,
  testTenant as tenantId,
  testSecret,
} from '../../endpoints/clouds/azure/test-azure-server.ts';
import { fastRate, startCloudPlane, startCloudWorld } from '../../endpoints/clouds/test-cloud-world.ts';
import { endpointSets } from '../../kinds/endpoint-set.ts';

test('a resource leaves the set of another owner alone, says so, and has its own once that is deleted', async () => {
  await using server = await startTestAzureServer();
  server.setMachines('web', [{ name: 'vm-1', service: 'web', ip: '10.0.0.1', zone: '1', health: 'healthy' }]);
  const cloud = createAzureCloud({ endpoint: server.url, rateLimit: fastRate });
  await using plane = await startCloudPlane(cloud);
  const { client } = plane;
  const account = { azure: { tenantId, subscriptionId } };
  await using world = await startCloudWorld({ client, cloud, account, secret: testSecret });
  const ref = { ...endpointSets.ref, namespace: 'default' };
  const endpoint = { ip: '10.9.9.9', port: 80, portName: 'http', state: 'Running', weight: 1 } as const;
  await client.create(ref, endpointSets.object({ name: 'azure-web' }, { service: 'web', endpoints: [endpoint] }));
  await using _controllers = world.startControllers();
  await world.putResource('web', { service: 'web', ports: [{ name: 'http', port: 80 }], tags: { app: 'web' } });
  assert.match(await world.resourceIs('web', 'NameTaken'), /the EndpointSet "azure-web" exists/);
  await world.shows('web', ['10.9.9.9 healthy']);
  await client.delete({ ...ref, name: 'azure-web' });
  await world.resourceIs('web', 'Resolved');
  await world.shows('web', ['10.0.0.1 healthy']);
});
