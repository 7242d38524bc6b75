import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CustomKind } from '@chandlery/api';
import { startTestPlane, type TestPlane } from '@chandlery/testing';
import { awsResources } from './aws-resource.ts';
import { azureResources } from './azure-resource.ts';
import { cloudAccounts } from './cloud-account.ts';
import { googleResources } from './google-resource.ts';

const kinds = [cloudAccounts, awsResources, azureResources, googleResources];
let plane: TestPlane;
before(async () => {
  plane = await startTestPlane({ kinds: kinds.map(({ declaration }) => declaration) });
});
after(() => plane[Symbol.asyncDispose]());

const subscription = '11111111-2222-3333-4444-555555555555';
const vm = `/subscriptions/${subscription}/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm`;
const aws = { accountId: '123456789012', regions: ['eu-central-1'] };
const azure = { tenantId: subscription, subscriptionId: subscription };
const queue = 'arn:aws:sqs:eu-central-1:123456789012:machines';
const eventQueue = { storageAccount: 'meshevents', queue: 'machines' };
const google = { project: 'shop-prod' };
const served = { account: 'prod', service: 'web', ports: [{ name: 'http', port: 80 }] };

const cases: readonly { kind: CustomKind; spec: object; rejected?: RegExp; why: string }[] = [
  { kind: cloudAccounts, spec: { aws }, why: 'one cloud' },
  { kind: cloudAccounts, spec: {}, rejected: /exactly one of aws, azure, google/, why: 'no cloud' },
  { kind: cloudAccounts, spec: { aws, azure }, rejected: /exactly one/, why: 'two clouds' },
  {
    kind: cloudAccounts,
    spec: { aws: { ...aws, regions: ['eu-central-1.attacker.example/'] } },
    rejected: /regions/,
    why: 'a region that would name a host',
  },
  {
    kind: cloudAccounts,
    spec: { google: { project: '../other' } },
    rejected: /project/,
    why: 'a project that would name a path',
  },
  { kind: cloudAccounts, spec: { azure, pollSeconds: 1 }, rejected: /pollSeconds/, why: 'polls without a pause' },
  { kind: cloudAccounts, spec: { aws: { ...aws, eventQueues: [queue] } }, why: 'a queue of events' },
  {
    kind: cloudAccounts,
    spec: { aws: { ...aws, eventQueues: [queue.replace('123456789012', '999999999999')] } },
    rejected: /queues of events are those of the named account/,
    why: "another account's queue",
  },
  {
    kind: cloudAccounts,
    spec: { aws: { ...aws, eventQueues: [queue.replace('eu-central-1', 'eu-1.attacker.example/')] } },
    rejected: /eventQueues/,
    why: 'a queue that would name a host',
  },
  {
    kind: cloudAccounts,
    spec: { aws: { ...aws, eventQueues: ['http://169.254.169.254/latest/meta-data'] } },
    rejected: /eventQueues/,
    why: 'a queue that is an address',
  },
  { kind: cloudAccounts, spec: { azure: { ...azure, eventQueue } }, why: 'a storage queue' },
  {
    kind: cloudAccounts,
    spec: { azure: { ...azure, eventQueue: { ...eventQueue, storageAccount: '169.254.169.254/' } } },
    rejected: /storageAccount/,
    why: 'a storage account that would name a host',
  },
  {
    kind: cloudAccounts,
    spec: { azure: { ...azure, eventQueue: { ...eventQueue, queue: 'a/../../other' } } },
    rejected: /queue/,
    why: 'a queue that leaves its path',
  },
  { kind: cloudAccounts, spec: { google: { ...google, eventSubscription: 'machines' } }, why: 'a subscription' },
  {
    kind: cloudAccounts,
    spec: { google: { ...google, eventSubscription: 'a/../../other/subscriptions/b' } },
    rejected: /eventSubscription/,
    why: 'a subscription of another project',
  },
  {
    kind: cloudAccounts,
    spec: { google, credentialsSecret: '../kube-system/key' },
    rejected: /credentialsSecret/,
    why: 'a Secret of another namespace',
  },
  {
    kind: awsResources,
    spec: { ...served, ports: [], tags: { app: 'web' } },
    rejected: /spec.ports in body should have at least 1 items/,
    why: 'no port, and so no endpoint',
  },
  { kind: awsResources, spec: { ...served, tags: { app: 'web' } }, why: 'by tags' },
  { kind: awsResources, spec: served, rejected: /exactly one of instances/, why: 'no machines' },
  {
    kind: awsResources,
    spec: { ...served, tags: { app: 'web' }, autoScalingGroup: 'web' },
    rejected: /exactly one of instances/,
    why: 'tags and a group',
  },
  { kind: awsResources, spec: { ...served, tags: {} }, rejected: /tags/, why: 'no tags are all machines' },
  { kind: azureResources, spec: { ...served, ids: [vm] }, why: 'by id' },
  {
    kind: azureResources,
    spec: { ...served, ids: [`${vm}/../x`] },
    rejected: /ids/,
    why: 'an id that leaves its path',
  },
  {
    kind: azureResources,
    spec: { ...served, ids: [vm], resourceGroup: 'rg' },
    rejected: /resourceGroup goes with tags/,
    why: 'ids have their group',
  },
  { kind: googleResources, spec: { ...served, instanceGroup: 'zones/eu-b/instanceGroups/web' }, why: 'by group' },
  { kind: googleResources, spec: { ...served, instanceGroup: 'web' }, rejected: /instanceGroup/, why: 'no place' },
];

for (const [index, { kind, spec, rejected, why }] of cases.entries()) {
  test(`${kind.kind}: ${why} is ${rejected ? 'rejected' : 'accepted'}`, async () => {
    const object = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: `x${index}` }, spec };
    const created = plane.client.create({ ...kind.ref, namespace: 'default' }, object);
    await (rejected ? assert.rejects(created, rejected) : created);
  });
}
