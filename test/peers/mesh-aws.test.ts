// Machines of AWS as endpoints, on moto, which speaks the protocols of AWS.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, findMoto, type TestPlane, whySkipped } from '@chandlery/testing';
import { type AwsCall, createAwsApi } from '../../domains/mesh/src/endpoints/clouds/aws/aws-api.ts';
import { createAwsCloud } from '../../domains/mesh/src/endpoints/clouds/aws/aws-cloud.ts';
import { AwsReader } from '../../domains/mesh/src/endpoints/clouds/aws/aws-reader.ts';
import { createRequestSigner } from '../../domains/mesh/src/endpoints/clouds/aws/sign-aws.ts';
import { createCloudHttp } from '../../domains/mesh/src/endpoints/clouds/cloud-http.ts';
import {
  fastRate,
  startCloudPlane,
  startCloudWorld,
  startRelay,
} from '../../domains/mesh/src/endpoints/clouds/test-cloud-world.ts';
import { at, listOf, textAt, type XmlValue } from '../../domains/mesh/src/endpoints/clouds/xml/cloud-xml.ts';
import {
  endpointsProviderContract,
  type ProviderUnderTest,
} from '../../domains/mesh/src/endpoints/endpoints-provider-contract.ts';
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

/** Calls moto as an administrator of the account would. */
function administrator(url: string) {
  const call = createCloudHttp({ cloud: 'moto', rateLimit: fastRate });
  const api = createAwsApi({ call, sign, endpoint: url });
  return (service: AwsCall['service'], action: string, parameters: AwsCall['parameters'] = {}): Promise<XmlValue> =>
    api({ service, region, action, parameters }, AbortSignal.timeout(30_000));
}

/** Empties the account. */
const reset = (url: string) => fetch(`${url}/moto-api/reset`, { method: 'POST' });

type Administrator = ReturnType<typeof administrator>;

/** Starts instances, and resolves with their ids and addresses. */
async function runInstances(admin: Administrator, count: number, tags: Readonly<Record<string, string>>) {
  const tagParameters = Object.entries(tags).flatMap(([key, value], index): [string, string][] => [
    [`TagSpecification.1.Tag.${index + 1}.Key`, key],
    [`TagSpecification.1.Tag.${index + 1}.Value`, value],
  ]);
  const response = await admin('ec2', 'RunInstances', {
    ...{ ImageId: 'ami-12c6146b', MinCount: String(count), MaxCount: String(count) },
    ...{ 'TagSpecification.1.ResourceType': 'instance', ...Object.fromEntries(tagParameters) },
  });
  return listOf(at(response, 'instancesSet', 'item')).map(instance => ({
    id: textAt(instance, 'instanceId') ?? '',
    ip: textAt(instance, 'privateIpAddress') ?? '',
  }));
}

async function createTargetGroup(admin: Administrator, name: string): Promise<string> {
  const vpcs = await admin('ec2', 'DescribeVpcs');
  const [vpc] = listOf(at(vpcs, 'vpcSet', 'item'));
  const created = await admin('elasticloadbalancing', 'CreateTargetGroup', {
    ...{ Name: name, Protocol: 'HTTP', Port: '8080', TargetType: 'ip', VpcId: textAt(vpc, 'vpcId') ?? '' },
  });
  const [group] = listOf(at(created, 'CreateTargetGroupResult', 'TargetGroups', 'member'));
  return textAt(group, 'TargetGroupArn') ?? '';
}

const targets = (ips: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(ips.map((ip, index) => [`Targets.member.${index + 1}.Id`, ip]));

const awsAccount = { aws: { accountId, regions: [region] } };

async function setUp({ isCut = false } = {}): Promise<ProviderUnderTest> {
  await using stack = new AsyncDisposableStack();
  await reset(moto.url);
  const admin = administrator(moto.url);
  const link = stack.use(await startRelay(moto.url, isCut));
  const client = await plane.createCluster(`a${++clusters}`);
  const cloud = createAwsCloud({ endpoint: link.url, rateLimit: fastRate });
  const world = stack.use(await startCloudWorld({ client, cloud, account: awsAccount, secret }));
  stack.use(world.startControllers());
  const groups = new Map<string, { readonly arn: string; readonly ips: Set<string> }>();
  const owned = stack.move();
  return {
    provider: world.provider,
    link,
    async put({ name }, endpoints) {
      if (endpoints.length === 0) return void (groups.has(name) && (await world.deleteResource(name)));
      const known = groups.get(name) ?? { arn: await createTargetGroup(admin, name), ips: new Set<string>() };
      groups.set(name, known);
      const ips = new Set(endpoints.map(({ ip }) => ip));
      const gone = [...known.ips].filter(ip => !ips.has(ip));
      const TargetGroupArn = known.arn;
      await admin('elasticloadbalancing', 'RegisterTargets', { TargetGroupArn, ...targets([...ips]) });
      if (gone.length > 0)
        await admin('elasticloadbalancing', 'DeregisterTargets', { TargetGroupArn, ...targets(gone) });
      groups.set(name, { ...known, ips });
      const ports = [...new Map(endpoints.map(({ portName = 'http', port }) => [portName, port]))];
      const named = ports.map(([portName, port]) => ({ name: portName, port }));
      await world.putResource(name, { service: name, ports: named, targetGroup: known.arn });
    },
    touch: async ({ name }) => void (await world.touchResource(name)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

describe('On moto', { skip }, () => {
  endpointsProviderContract('AWS', setUp, {
    hasHealth: false,
    hasZones: false,
    hasNamedPorts: true,
    isRemote: true,
    isStored: true,
  });
});

const ports = [{ name: 'http', port: 8080 }];

/** A cluster whose account `prod` is that of moto, whose controllers run. */
async function start(options: { readonly secret?: Readonly<Record<string, string>>; readonly account?: object } = {}) {
  await using stack = new AsyncDisposableStack();
  await reset(moto.url);
  const relay = stack.use(await startRelay(moto.url));
  const statuses: (number | undefined)[] = [];
  const cloud = createAwsCloud({
    endpoint: relay.url,
    rateLimit: fastRate,
    onRequest: status => statuses.push(status),
  });
  const client = await plane.createCluster(`a${++clusters}`);
  const world = stack.use(await startCloudWorld({ client, cloud, account: awsAccount, secret, ...options }));
  const owned = stack.move();
  return {
    ...world,
    ...{ client, relay, admin: administrator(moto.url) },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

describe('Machines of AWS as endpoints', { skip }, () => {
  it('are EC2 instances by id and tag, with their place and state', async () => {
    await using world = await start();
    const [first, second] = await runInstances(world.admin, 2, { app: 'web' });
    assert.ok(first && second);
    await runInstances(world.admin, 1, { app: 'other' });
    await using _controllers = world.startControllers();
    await world.putResource('by-id', { service: 'by-id', ports, instances: [first.id] });
    await world.putResource('by-tag', { service: 'by-tag', ports, tags: { app: 'web' }, serviceAccount: 'shopkeeper' });
    await world.shows('by-id', [`${first.ip} healthy`]);
    const both = [first, second].map(({ ip }) => `${ip} healthy`).sort();
    await world.shows('by-tag', both);
    const [shown] = world.provider.listEndpointsForService({ namespace: 'default', name: 'by-id' });
    assert.deepEqual([shown?.cluster, shown?.region, shown?.source], ['aws-prod', region, first.id]);
    assert.match(shown?.zone ?? '', /^eu-central-1[a-c]$/);
    await world.admin('ec2', 'StopInstances', { 'InstanceId.1': first.id });
    await world.shows('by-id', [`${first.ip} unhealthy`]);
    await world.admin('ec2', 'TerminateInstances', { 'InstanceId.1': second.id });
    await world.shows('by-tag', [`${first.ip} unhealthy`]);
    await world.resourceIs('by-tag', 'Resolved');
    const missing = 'i-0123456789abcdef0';
    await world.putResource('by-id', { service: 'by-id', ports, instances: [first.id, missing] });
    assert.match(await world.resourceIs('by-id', 'NotFound'), new RegExp(missing));
  });

  it('are the instances of an Auto Scaling group, which scales out and in', async () => {
    await using world = await start();
    const group = { AutoScalingGroupName: 'workers' };
    await world.admin('autoscaling', 'CreateLaunchConfiguration', {
      ...{ LaunchConfigurationName: 'worker', ImageId: 'ami-12c6146b', InstanceType: 't3.micro' },
    });
    await world.admin('autoscaling', 'CreateAutoScalingGroup', {
      ...{ ...group, LaunchConfigurationName: 'worker', MinSize: '0', MaxSize: '5', DesiredCapacity: '2' },
      'AvailabilityZones.member.1': `${region}a`,
    });
    await using _controllers = world.startControllers();
    await world.putResource('web', { service: 'web', ports, autoScalingGroup: 'workers' });
    const count = () => world.provider.listEndpointsForService({ namespace: 'default', name: 'web' }).length;
    await eventually(() => count() === 2, { what: 'two machines' });
    await world.admin('autoscaling', 'SetDesiredCapacity', { ...group, DesiredCapacity: '4' });
    await eventually(() => count() === 4, { what: 'four machines' });
    await world.admin('autoscaling', 'SetDesiredCapacity', { ...group, DesiredCapacity: '1' });
    await eventually(() => count() === 1, { what: 'one machine' });
  });

  it('stay while the account cannot be read, also for a process that has never read it', async () => {
    await using world = await start();
    const [machine] = await runInstances(world.admin, 1, { app: 'web' });
    await world.putResource('web', { service: 'web', ports, tags: { app: 'web' } });
    {
      await using _controllers = world.startControllers();
      await world.shows('web', [`${machine?.ip} healthy`]);
      world.relay.cut();
      assert.match(await world.accountIs('CloudUnreachable'), /last known endpoints are kept/);
      await world.resourceIs('web', 'Stale');
    }
    await using _restarted = world.startControllers();
    await world.accountIs('CloudUnreachable');
    await world.shows('web', [`${machine?.ip} healthy`]);
    assert.match(world.provider.staleReason ?? '', /since/);
    world.relay.heal();
    await world.accountIs('Read');
    await world.resourceIs('web', 'Resolved');
    await world.shows('web', [`${machine?.ip} healthy`]);
  });

  it('are read by pages', async () => {
    await reset(moto.url);
    await runInstances(administrator(moto.url), 7, { app: 'web' });
    const call = createCloudHttp({ cloud: 'AWS' });
    const api = createAwsApi({ call, sign, endpoint: moto.url });
    const small: typeof api = (asked, signal) =>
      api(
        {
          ...asked,
          parameters: { ...asked.parameters, ...(asked.action === 'DescribeInstances' && { MaxResults: '3' }) },
        },
        signal,
      );
    const reader = new AwsReader({ accountId, regions: [region], api: small });
    const resource = { account: 'prod', service: 'web', ports: [], weight: 1, address: 'private' as const, tags: {} };
    const { inventory } = await reader.read([resource], AbortSignal.timeout(30_000));
    assert.equal(inventory.instances.size, 7);
  });

  it('are those of the named account only', async () => {
    await using world = await start({ account: { aws: { accountId: '999999999999', regions: [region] } } });
    await runInstances(world.admin, 1, { app: 'web' });
    await using _controllers = world.startControllers();
    await world.putResource('web', { service: 'web', ports, tags: { app: 'web' } });
    const message = await world.accountIs('CloudAccountMismatch');
    assert.match(message, /not of the account 999999999999/);
    assert.doesNotMatch(message, /not-a-secret/);
    await world.shows('web', []);
    // The credentials of the server are not used without the leave of the operator, whatever the tenant names.
    await world.putAccount({ ...awsAccount, pollSeconds: 5 });
    assert.match(await world.accountIs('CloudAccountNotAllowed'), /"aws:123456789012"/);
    await world.putAccount({ ...awsAccount, pollSeconds: 5, credentialsSecret: 'another-tenants-key' });
    await world.accountIs('CloudCredentialsInvalid');
    await world.putAccount({ ...awsAccount, pollSeconds: 5, credentialsSecret: 'cloud-key' });
    await world.accountIs('Read');
  });

  it('cost a few requests per poll, however many services there are', async () => {
    await reset(moto.url);
    await runInstances(administrator(moto.url), 3, { app: 'web' });
    const statuses: unknown[] = [];
    const call = createCloudHttp({ cloud: 'AWS', onRequest: status => statuses.push(status) });
    const reader = new AwsReader({
      accountId,
      regions: [region],
      api: createAwsApi({ call, sign, endpoint: moto.url }),
    });
    const resource = { account: 'prod', service: 'web', ports: [], weight: 1, address: 'private' as const, tags: {} };
    await reader.read(
      Array.from({ length: 100 }, () => resource),
      AbortSignal.timeout(30_000),
    );
    assert.deepEqual(statuses, [200, 200, 200], 'who am I, instances, status checks');
    await reader.read([resource], AbortSignal.timeout(30_000));
    assert.equal(statuses.length, 5);
  });
});
