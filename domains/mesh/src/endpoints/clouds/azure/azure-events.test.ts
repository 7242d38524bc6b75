import { after, before } from 'node:test';
import type { TestPlane } from '@chandlery/testing';
import { azureResources } from '../../../kinds/clouds/azure-resource.ts';
import { fastRate, startCloudPlane, startRelay } from '../test-cloud-world.ts';
import { type EventsUnderTest, machineEventsContract } from '../test-events-contract.ts';
import { createAzureCloud } from './azure-cloud.ts';
import { startTestAzureServer, testSecret, testSubscription, testTenant } from './test-azure-server.ts';

let plane: TestPlane;
let clusters = 0;
before(async () => {
  plane = await startCloudPlane({ resources: azureResources });
});
after(() => plane[Symbol.asyncDispose]());

const group = `/subscriptions/${testSubscription}/resourceGroups/mesh-rg/providers`;
const vm = `${group}/Microsoft.Compute/virtualMachines/vm-1`;
const foreignVm = vm.replace(testSubscription, '99999999-2222-3333-4444-555555555555');
const written = {
  ...{ id: '1', topic: `/subscriptions/${testSubscription}`, subject: vm, dataVersion: '2', metadataVersion: '1' },
  ...{ eventType: 'Microsoft.Resources.ResourceWriteSuccess', eventTime: '2030-01-01T00:00:00Z' },
  data: { resourceUri: vm, operationName: 'Microsoft.Compute/virtualMachines/write', status: 'Succeeded' },
};
const cloudEvent = {
  ...{ specversion: '1.0', id: '2', source: written.topic, type: 'Microsoft.Resources.ResourceDeleteSuccess' },
  subject: `${group}/Microsoft.Network/networkInterfaces/nic-1`,
};
const events: EventsUnderTest['events'] = {
  changes: [
    written,
    cloudEvent,
    { ...written, subject: vm.toUpperCase().replace('/SUBSCRIPTIONS', '/subscriptions') },
    { ...written, eventType: 'Microsoft.ResourceNotifications.HealthResources.AvailabilityStatusChanged' },
  ],
  foreign: [
    [/another subscription/, { ...written, subject: foreignVm }],
    [/another subscription/, { ...written, subject: '', data: {} }],
    [/not about machines/, { ...written, subject: `${group}/Microsoft.Sql/servers/sql` }],
    [/not about resources/, { ...written, eventType: 'Microsoft.Storage.BlobCreated' }],
    [/no event of Event Grid/, { ...cloudEvent, specversion: '0.1' }],
    [/no event of Event Grid/, { ...written, eventType: ['Microsoft.Resources.ResourceWriteSuccess'] }],
  ],
};

machineEventsContract('Azure', async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startTestAzureServer());
  const link = stack.use(await startRelay(server.url));
  const eventQueue = { storageAccount: 'meshevents', queue: 'machines' };
  const owned = stack.move();
  return {
    ...{ events, link, secret: testSecret, deniedSecret: { clientId: 'client', clientSecret: 'wrong' } },
    client: await plane.createCluster(`e${++clusters}`),
    cloud: createAzureCloud({ endpoint: link.url, rateLimit: fastRate }),
    account: { azure: { tenantId: testTenant, subscriptionId: testSubscription, eventQueue } },
    select: { tags: { app: 'web' } },
    send: text => server.queue.send(Buffer.from(text).toString('base64')),
    left: () => server.queue.size,
    setMissing: isMissing => {
      server.queue.isMissing = isMissing;
    },
    setMachines: async count => {
      const ips = Array.from({ length: count }, (_, no) => `10.0.0.${no + 1}`);
      const machine = { service: 'web', zone: '1', health: 'healthy' } as const;
      server.setMachines(
        'web',
        ips.map((ip, no) => ({ ...machine, ip, name: `vm-${no}` })),
      );
      return ips;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
});
