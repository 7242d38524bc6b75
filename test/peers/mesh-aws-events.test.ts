// Events of machines of AWS by the queues and rules of moto, which speaks the protocols of AWS.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, findMoto, type TestPlane, whySkipped } from '@chandlery/testing';
import { createAwsApi } from '../../domains/mesh/src/endpoints/clouds/aws/aws-api.ts';
import { createAwsCloud } from '../../domains/mesh/src/endpoints/clouds/aws/aws-cloud.ts';
import { createRequestSigner } from '../../domains/mesh/src/endpoints/clouds/aws/sign-aws.ts';
import { createCloudHttp } from '../../domains/mesh/src/endpoints/clouds/cloud-http.ts';
import {
  fastRate,
  startCloudPlane,
  startCloudWorld,
  startRelay,
} from '../../domains/mesh/src/endpoints/clouds/test-cloud-world.ts';
import {
  type EventsUnderTest,
  machineEventsContract,
} from '../../domains/mesh/src/endpoints/clouds/test-events-contract.ts';
import { at, listOf, textAt } from '../../domains/mesh/src/endpoints/clouds/xml/cloud-xml.ts';
import { awsResources } from '../../domains/mesh/src/kinds/clouds/aws-resource.ts';
import { type Moto, startMoto } from './support/moto.ts';

const found = await findMoto();
const skip = whySkipped(found);
const region = 'eu-central-1';
const accountId = '123456789012';
const secret = { accessKeyId: 'AKIATEST', secretAccessKey: 'not-a-secret' };
const sign = createRequestSigner(async () => secret);

let moto: Moto;
let plane: TestPlane;
let clusters = 0;
before(async () => {
  if (skip) return;
  moto = await startMoto(found.path ?? '');
  plane = await startCloudPlane({ resources: awsResources });
});
after(async () => {
  await plane?.[Symbol.asyncDispose]();
  await moto?.[Symbol.asyncDispose]();
});

const call = createCloudHttp({ cloud: 'moto', rateLimit: fastRate });

/** Calls a JSON API of moto as an administrator of the account would. */
async function ask(service: 'sqs' | 'events', action: string, parameters: object): Promise<Record<string, unknown>> {
  const target = `${service === 'sqs' ? 'AmazonSQS' : 'AWSEvents'}.${action}`;
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
  const url = new URL(moto.url);
  const request = await sign({ service, region, url, headers, body: JSON.stringify(parameters) });
  const { status, text } = await call(request, AbortSignal.timeout(30_000));
  assert.equal(status, 200, text);
  return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
}

/** A queue whose messages that were received and not removed come again soon. */
function queueOf(name: string) {
  const url = { QueueUrl: `https://sqs.${region}.amazonaws.com/${accountId}/${name}` };
  const counts = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
  return {
    arn: `arn:aws:sqs:${region}:${accountId}:${name}`,
    create: () => ask('sqs', 'CreateQueue', { QueueName: name, Attributes: { VisibilityTimeout: '1' } }),
    delete: () => ask('sqs', 'DeleteQueue', url),
    send: (text: string) => ask('sqs', 'SendMessage', { ...url, MessageBody: text }),
    count: async (): Promise<number> => {
      const { Attributes } = await ask('sqs', 'GetQueueAttributes', { ...url, AttributeNames: counts });
      return counts.reduce((sum, each) => sum + Number((Attributes as Record<string, string>)[each]), 0);
    },
  };
}

/** Runs instances with the tag of the service until there are so many; resolves with their addresses. */
async function runInstances(count: number): Promise<readonly string[]> {
  const api = createAwsApi({ call, sign, endpoint: moto.url });
  const ec2 = (action: string, parameters: Readonly<Record<string, string>> = {}) =>
    api({ service: 'ec2', region, action, parameters }, AbortSignal.timeout(30_000));
  const describeAll = async () =>
    listOf(at(await ec2('DescribeInstances'), 'reservationSet', 'item'))
      .flatMap(reservation => listOf(at(reservation, 'instancesSet', 'item')))
      .map(instance => textAt(instance, 'privateIpAddress') ?? '');
  const missing = String(count - (await describeAll()).length);
  await ec2('RunInstances', {
    ...{ ImageId: 'ami-12c6146b', MinCount: missing, MaxCount: missing },
    ...{ 'TagSpecification.1.ResourceType': 'instance', 'TagSpecification.1.Tag.1.Key': 'app' },
    'TagSpecification.1.Tag.1.Value': 'web',
  });
  return describeAll();
}

const stateChange = {
  ...{
    version: '0',
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    'detail-type': 'EC2 Instance State-change Notification',
  },
  ...{ source: 'aws.ec2', account: accountId, time: '2030-01-01T00:00:00Z', region },
  resources: [`arn:aws:ec2:${region}:${accountId}:instance/i-abcd1111`],
  detail: { 'instance-id': 'i-abcd1111', state: 'pending' },
};
const events: EventsUnderTest['events'] = {
  changes: [
    stateChange,
    { ...stateChange, source: 'aws.autoscaling', 'detail-type': 'EC2 Instance Launch Successful' },
    { ...stateChange, source: 'aws.tag', 'detail-type': 'Tag Change on Resource' },
  ],
  foreign: [
    [/another account/, { ...stateChange, account: '999999999999' }],
    [/another account/, { ...stateChange, account: Number(accountId) }],
    [/a region that is not read/, { ...stateChange, region: 'us-east-1' }],
    [/not about machines/, { ...stateChange, source: 'aws.s3' }],
    [/no event of EventBridge/, { Type: 'Notification', Message: JSON.stringify(stateChange) }],
  ],
};

async function setUp(): Promise<EventsUnderTest & { readonly arn: string }> {
  await using stack = new AsyncDisposableStack();
  await fetch(`${moto.url}/moto-api/reset`, { method: 'POST' });
  const cluster = `e${++clusters}`;
  // Requests of earlier tests may still wait for messages, although their connections are closed.
  const queue = queueOf(`machines-${cluster}`);
  await queue.create();
  const link = stack.use(await startRelay(moto.url));
  const owned = stack.move();
  return {
    ...{ events, link, secret, arn: queue.arn, select: { tags: { app: 'web' } } },
    account: { aws: { accountId, regions: [region], eventQueues: [queue.arn] } },
    client: await plane.createCluster(cluster),
    cloud: createAwsCloud({ endpoint: link.url, rateLimit: fastRate }),
    send: async text => void (await queue.send(text)),
    left: queue.count,
    setMissing: async isMissing => void (await (isMissing ? queue.delete() : queue.create())),
    setMachines: runInstances,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

describe('On moto', { skip }, () => {
  machineEventsContract('AWS', setUp);
});

/** The envelope as EventBridge sends it; that of moto lacks the account. */
const wholeEvent = {
  InputPathsMap: { id: '$.id', type: '$.detail-type', source: '$.source', region: '$.region', detail: '$.detail' },
  InputTemplate: `{"version": "0", "id": "<id>", "detail-type": "<type>", "source": "<source>", "account": "${accountId}", "region": "<region>", "detail": <detail>}`,
};

describe('A rule of EventBridge', { skip }, () => {
  it('puts events into the queue that are read as they are', async () => {
    await using test = await setUp();
    await ask('events', 'PutRule', {
      Name: 'machines',
      EventPattern: JSON.stringify({ source: ['aws.ec2', 'aws.autoscaling'] }),
    });
    await ask('events', 'PutTargets', {
      Rule: 'machines',
      Targets: [{ Id: 'queue', Arn: test.arn, InputTransformer: wholeEvent }],
    });
    const first = await runInstances(1);
    await using world = await startCloudWorld({ ...test, account: { ...test.account, pollSeconds: 3600 } });
    await using _controllers = world.startControllers();
    await world.putResource('web', { service: 'web', ports: [{ name: 'http', port: 80 }], ...test.select });
    await world.shows(
      'web',
      first.map(ip => `${ip} healthy`),
    );
    const both = await runInstances(2);
    await ask('events', 'PutEvents', {
      Entries: [
        {
          ...{ Source: 'aws.ec2', DetailType: stateChange['detail-type'] },
          Detail: JSON.stringify(stateChange.detail),
        },
      ],
    });
    await world.shows(
      'web',
      [...both].sort().map(ip => `${ip} healthy`),
    );
    await eventually(async () => (await test.left()) === 0, { what: 'an empty queue' });
  });
});
