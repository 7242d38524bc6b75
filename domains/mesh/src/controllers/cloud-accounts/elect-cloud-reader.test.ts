import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { createAzureCloud } from '../../endpoints/clouds/azure/azure-cloud.ts';
import {
  startTestAzureServer,
  testSecret,
  testSubscription,
  testTenant,
} from '../../endpoints/clouds/azure/test-azure-server.ts';
import { fastRate, fastTime, startCloudPlane, startCloudWorld } from '../../endpoints/clouds/test-cloud-world.ts';
import { electCloudReader } from './elect-cloud-reader.ts';

const timing = { leaseDurationMs: 1000, renewDeadlineMs: 500, retryPeriodMs: 50 };

test('one replica reads the accounts of a cluster, and another continues when it stops', async () => {
  await using server = await startTestAzureServer();
  const readers: string[] = [];
  const cloudOf = (replica: string) =>
    createAzureCloud({ endpoint: server.url, rateLimit: fastRate, onRequest: () => readers.push(replica) });
  await using plane = await startCloudPlane(cloudOf('none'));
  const platform = plane.connect('platform');
  const client = await plane.createCluster('shops');
  const account = { azure: { tenantId: testTenant, subscriptionId: testSubscription } };
  await using world = await startCloudWorld({ client, cloud: cloudOf('none'), account, secret: testSecret });
  await world.putResource('web', { service: 'web', ports: [{ name: 'http', port: 80 }], tags: { app: 'web' } });
  const elect = (replica: string) =>
    electCloudReader({
      ...{ platform, client, cluster: 'shops', replica, clouds: [cloudOf(replica)], timing, logger: silentLogger },
      ...fastTime(),
      mayUseServerCredentials: () => false,
    });
  const machine = (ip: string) => ({ name: 'vm-1', service: 'web', ip, zone: '1', health: 'healthy' as const });
  server.setMachines('web', [machine('10.0.0.1')]);
  {
    await using _first = elect('first');
    await world.shows('web', ['10.0.0.1 healthy']);
    await using _second = elect('second');
    server.setMachines('web', [machine('10.0.0.2')]);
    await world.shows('web', ['10.0.0.2 healthy']);
    assert.deepEqual([...new Set(readers)], ['first']);
  }
  readers.length = 0;
  await using _third = elect('third');
  server.setMachines('web', [machine('10.0.0.3')]);
  await world.shows('web', ['10.0.0.3 healthy']);
  assert.deepEqual([...new Set(readers)], ['third']);
});
