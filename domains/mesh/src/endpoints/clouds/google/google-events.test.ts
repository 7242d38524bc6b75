import { after, before } from 'node:test';
import type { TestPlane } from '@chandlery/testing';
import { googleResources } from '../../../kinds/clouds/google-resource.ts';
import { fastRate, startCloudPlane, startRelay } from '../test-cloud-world.ts';
import { type EventsUnderTest, machineEventsContract } from '../test-events-contract.ts';
import { createGoogleCloud } from './google-cloud.ts';
import { startTestGoogleServer, testKey, testProject } from './test-google-server.ts';

let plane: TestPlane;
let clusters = 0;
before(async () => {
  plane = await startCloudPlane({ resources: googleResources });
});
after(() => plane[Symbol.asyncDispose]());

const zone = 'europe-west1-b';
const path = `projects/${testProject}/zones/${zone}/instances/web-1`;
const asset = {
  asset: { assetType: 'compute.googleapis.com/Instance', name: `//compute.googleapis.com/${path}` },
  priorAssetState: 'PRESENT',
  window: { startTime: '2030-01-01T00:00:00Z' },
};
const audit = {
  logName: `projects/${testProject}/logs/cloudaudit.googleapis.com%2Factivity`,
  protoPayload: {
    ...{ serviceName: 'compute.googleapis.com', methodName: 'v1.compute.instances.stop', resourceName: path },
  },
};
const other = (text: string): string => text.replace(testProject, 'other-project');
const events: EventsUnderTest['events'] = {
  changes: [asset, audit],
  foreign: [
    [/another project/, { ...asset, asset: { ...asset.asset, name: other(asset.asset.name) } }],
    [/another project/, { protoPayload: { ...audit.protoPayload, resourceName: other(path) } }],
    [/another project/, { protoPayload: { serviceName: 'compute.googleapis.com' } }],
    [
      /not about machines/,
      { asset: { assetType: 'storage.googleapis.com/Bucket', name: '//storage.googleapis.com/b' } },
    ],
    [/not about machines/, { protoPayload: { ...audit.protoPayload, serviceName: 'storage.googleapis.com' } }],
    [/no asset and no entry/, { asset: 'compute.googleapis.com/Instance', protoPayload: [audit.protoPayload] }],
  ],
};

machineEventsContract('Google', async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startTestGoogleServer());
  const link = stack.use(await startRelay(server.url));
  const owned = stack.move();
  const key = JSON.parse(testKey['key.json']) as object;
  return {
    ...{ events, link, secret: testKey },
    deniedSecret: { 'key.json': JSON.stringify({ ...key, client_email: 'other@example.com' }) },
    client: await plane.createCluster(`e${++clusters}`),
    cloud: createGoogleCloud({ endpoint: link.url, rateLimit: fastRate }),
    account: { google: { project: testProject, eventSubscription: 'machines' } },
    select: { labels: { app: 'web' } },
    send: text => server.queue.send(Buffer.from(text).toString('base64')),
    left: () => server.queue.size,
    setMissing: isMissing => {
      server.queue.isMissing = isMissing;
    },
    setMachines: async count => {
      const ips = Array.from({ length: count }, (_, no) => `10.0.0.${no + 1}`);
      const machine = { service: 'web', zone, health: 'healthy' } as const;
      server.setMachines(
        'web',
        ips.map((ip, no) => ({ ...machine, ip, name: `web-${no}` })),
      );
      return ips;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
});
