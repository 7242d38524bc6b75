// Machines of AWS as endpoints, on moto, which speaks the protocols of AWS.
import assert from 'node:assert/strict';
import { isIPv6 } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { eventually, findMoto, type TestPlane, whySkipped } from '@chandlery/testing';
import { type AwsCall, createAwsApi } from '../../domains/mesh/src/endpoints/clouds/aws/aws-api.ts';
import { createAwsCloud } from '../../domains/mesh/src/endpoints/clouds/aws/aws-cloud.ts';
import { AwsReader } from '../../domains/mesh/src/endpoints/clouds/aws/aws-reader.ts';
import { createRequestSigner } from '../../domains/mesh/src/endpoints/clouds/aws/sign-aws.ts';
import { createCloudHttp } from '../../domains/mesh/src/endpoints/clouds/cloud-http.ts';
import {
  type AccountUnderTest,
  cloudAccountContract,
} from '../../domains/mesh/src/endpoints/clouds/test-account-contract.ts';
import {
  fastRate,
  startCloudPlane,
  startCloudWorld,
  startFaults,
  startRelay,
} from '../../domains/mesh/src/endpoints/clouds/test-cloud-world.ts';
import { RawBody } from '../../domains/mesh/src/endpoints/clouds/test-http-server.ts';
import { at, listOf, textAt, type XmlValue } from '../../domains/mesh/src/endpoints/clouds/xml/cloud-xml.ts';
import {
  endpointsProviderContract,
  type PlatformEndpoint,
  type ProviderUnderTest,
} from '../../domains/mesh/src/endpoints/endpoints-provider-contract.ts';
import { awsResources } from '../../domains/mesh/src/kinds/clouds/aws-resource.ts';
import { type Moto, startMoto } from './support/moto.ts';

const found = await findMoto();
const skip = whySkipped(found);
const region = 'eu-central-1';
const zone = `${region}b`;
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
function administrator(url: string, of = region) {
  const call = createCloudHttp({ cloud: 'moto', rateLimit: fastRate });
  const api = createAwsApi({ call, sign, endpoint: url });
  return (service: AwsCall['service'], action: string, parameters: AwsCall['parameters'] = {}): Promise<XmlValue> =>
    api({ service, region: of, action, parameters }, AbortSignal.timeout(30_000));
}

/** Empties the account. */
const reset = (url: string) => fetch(`${url}/moto-api/reset`, { method: 'POST' });

type Administrator = ReturnType<typeof administrator>;

/** Starts instances, and resolves with their ids and addresses. */
async function runInstances(
  admin: Administrator,
  count: number,
  tags: Readonly<Record<string, string>>,
  more: AwsCall['parameters'] = {},
) {
  const tagParameters = Object.entries(tags).flatMap(([key, value], index): [string, string][] => [
    [`TagSpecification.1.Tag.${index + 1}.Key`, key],
    [`TagSpecification.1.Tag.${index + 1}.Value`, value],
  ]);
  const response = await admin('ec2', 'RunInstances', {
    ...{ ImageId: 'ami-12c6146b', MinCount: String(count), MaxCount: String(count), ...more },
    ...{ 'TagSpecification.1.ResourceType': 'instance', ...Object.fromEntries(tagParameters) },
  });
  return listOf(at(response, 'instancesSet', 'item')).map(instance => ({
    id: textAt(instance, 'instanceId') ?? '',
    ip: textAt(instance, 'privateIpAddress') ?? '',
  }));
}

/** A network with all addresses of the contract, in one zone. */
async function createSubnet(admin: Administrator): Promise<string> {
  const created = await admin('ec2', 'CreateVpc', { CidrBlock: '10.0.0.0/16' });
  const VpcId = textAt(created, 'vpc', 'vpcId') ?? '';
  const subnet = await admin('ec2', 'CreateSubnet', { VpcId, CidrBlock: '10.0.0.0/16', AvailabilityZone: zone });
  return textAt(subnet, 'subnet', 'subnetId') ?? '';
}

/** Runs exactly these instances with the tag of a service, each at its address. */
class Instances {
  readonly #admin: Administrator;
  readonly #service: string;
  readonly #ids = new Map<string, string>();
  #subnet: string | undefined;

  constructor(admin: Administrator, service: string) {
    this.#admin = admin;
    this.#service = service;
  }

  async set(wanted: ReadonlyMap<string, { readonly isStopped: boolean }>): Promise<void> {
    for (const [ip, id] of this.#ids) {
      if (wanted.has(ip)) continue;
      await this.#admin('ec2', 'TerminateInstances', { 'InstanceId.1': id });
      this.#ids.delete(ip);
    }
    for (const [ip, { isStopped }] of wanted)
      await this.#admin('ec2', isStopped ? 'StopInstances' : 'StartInstances', { 'InstanceId.1': await this.#run(ip) });
  }

  async #run(ip: string): Promise<string> {
    const known = this.#ids.get(ip);
    if (known !== undefined) return known;
    this.#subnet ??= await createSubnet(this.#admin);
    const place = { PrivateIpAddress: ip, SubnetId: this.#subnet };
    const [instance] = await runInstances(this.#admin, 1, { app: this.#service }, place);
    assert.equal(instance?.ip, ip);
    this.#ids.set(ip, instance.id);
    return instance.id;
  }
}

/** A target group of addresses: moto's instances have none of IPv6. */
class TargetGroup {
  readonly #admin: Administrator;
  readonly #name: string;
  #arn: string | undefined;
  #ips = new Set<string>();

  constructor(admin: Administrator, name: string) {
    this.#admin = admin;
    this.#name = name;
  }

  /** Resolves with the ARN. */
  async set(ips: ReadonlySet<string>): Promise<string> {
    const TargetGroupArn = (this.#arn ??= await this.#create());
    const gone = [...this.#ips].filter(ip => !ips.has(ip));
    const change = (action: string, changed: readonly string[]) =>
      changed.length === 0
        ? undefined
        : this.#admin('elasticloadbalancing', action, { TargetGroupArn, ...targets(changed) });
    await change('RegisterTargets', [...ips]);
    await change('DeregisterTargets', gone);
    this.#ips = new Set(ips);
    return TargetGroupArn;
  }

  async #create(): Promise<string> {
    const vpcs = await this.#admin('ec2', 'DescribeVpcs');
    const [vpc] = listOf(at(vpcs, 'vpcSet', 'item'));
    const created = await this.#admin('elasticloadbalancing', 'CreateTargetGroup', {
      ...{ Name: this.#name, Protocol: 'HTTP', Port: '8080', TargetType: 'ip', VpcId: textAt(vpc, 'vpcId') ?? '' },
    });
    const [group] = listOf(at(created, 'CreateTargetGroupResult', 'TargetGroups', 'member'));
    return textAt(group, 'TargetGroupArn') ?? '';
  }
}

const targets = (ips: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(ips.map((ip, index) => [`Targets.member.${index + 1}.Id`, ip]));

const awsAccount = { aws: { accountId, regions: [region] } };

/** moto with nothing in it, behind a link. */
async function startLink(isCut = false) {
  await reset(moto.url);
  const admin = administrator(moto.url);
  const link = await startRelay(moto.url, isCut);
  const client = await plane.createCluster(`a${++clusters}`);
  return { admin, link, client };
}

async function setUp({ isCut = false } = {}): Promise<ProviderUnderTest> {
  await using stack = new AsyncDisposableStack();
  const { admin, link, client } = await startLink(isCut);
  stack.use(link);
  const cloud = createAwsCloud({ endpoint: link.url, rateLimit: fastRate });
  const world = stack.use(await startCloudWorld({ client, cloud, account: awsAccount, secret }));
  stack.use(world.startControllers());
  const instances = new Map<string, Instances>();
  const groups = new Map<string, TargetGroup>();
  const names = new Set<string>();
  const putResource = async (name: string, endpoints: readonly PlatformEndpoint[], spec: object) => {
    if (endpoints.length === 0) return void (names.delete(name) && (await world.deleteResource(name)));
    const named = [...new Map(endpoints.map(({ portName = 'http', port }) => [portName, port]))];
    await world.putResource(name, { ports: named.map(([portName, port]) => ({ name: portName, port })), ...spec });
    names.add(name);
  };
  const owned = stack.move();
  return {
    provider: world.provider,
    link,
    async put({ name }, endpoints) {
      const { true: ipv6 = [], false: ipv4 = [] } = Object.groupBy(endpoints, ({ ip }) => `${isIPv6(ip)}`);
      const machines = instances.get(name) ?? new Instances(admin, name);
      instances.set(name, machines);
      await machines.set(new Map(ipv4.map(({ ip, health }) => [ip, { isStopped: health === 'unhealthy' }])));
      await putResource(name, ipv4, { service: name, tags: { app: name } });
      const group = groups.get(name) ?? new TargetGroup(admin, name);
      if (ipv6.length > 0) groups.set(name, group);
      const targetGroup = ipv6.length > 0 && (await group.set(new Set(ipv6.map(({ ip }) => ip))));
      await putResource(`${name}-ipv6`, ipv6, { service: name, targetGroup });
    },
    touch: async ({ name }) => void (await world.touchResource(name)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const xml = { 'content-type': 'text/xml' };
const limitExceeded = '<Response><Errors><Error><Code>RequestLimitExceeded</Code></Error></Errors></Response>';

async function accountUnderTest(): Promise<AccountUnderTest> {
  await using stack = new AsyncDisposableStack();
  await reset(moto.url);
  const faults = stack.use(await startFaults(moto.url));
  // Pages of a thousand, the largest of AWS, would need as many instances: five are the least.
  faults.rewrite = body => body.replace('MaxResults=1000', 'MaxResults=5');
  const link = stack.use(await startRelay(faults.url));
  const client = await plane.createCluster(`a${++clusters}`);
  const instances = new Instances(administrator(moto.url), 'web');
  const owned = stack.move();
  return {
    ...{ client, account: awsAccount, secret, faults, link, select: { tags: { app: 'web' } } },
    place: { region, zone },
    // Machines of moto start and stop at once.
    states: ['Running', 'Stopped'],
    // AWS names no time: the pause is ours, less its random part.
    throttled: { response: { status: 503, headers: xml, body: new RawBody(limitExceeded) }, seconds: 4.5 },
    connect: onRequest => createAwsCloud({ endpoint: link.url, rateLimit: fastRate, onRequest }),
    setMachines: async states => {
      const ips = states.map((_, no) => `10.0.0.${no + 10}`);
      await instances.set(new Map(ips.map((ip, no) => [ip, { isStopped: states[no] === 'Stopped' }])));
      return ips;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

describe('On moto', { skip }, () => {
  endpointsProviderContract('AWS', setUp, {
    ...{ hasHealth: true, hasDraining: false, hasZones: true, zone },
    ...{ hasNamedPorts: true, isRemote: true, isStored: true },
  });
  cloudAccountContract('AWS', accountUnderTest);
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

  it('of a region that cannot be read stay as they were, and those of others follow', async () => {
    await reset(moto.url);
    await using faults = await startFaults(moto.url);
    const client = await plane.createCluster(`a${++clusters}`);
    const cloud = createAwsCloud({ endpoint: faults.url, rateLimit: fastRate });
    const account = { aws: { accountId, regions: [region, 'eu-west-1'] } };
    await using world = await startCloudWorld({ client, cloud, account, secret });
    const far = await runInstances(administrator(moto.url, 'eu-west-1'), 1, { app: 'web' });
    const [near] = await runInstances(administrator(moto.url), 1, { app: 'web' });
    await using _controllers = world.startControllers();
    await world.putResource('web', { service: 'web', ports, tags: { app: 'web' } });
    const healthy = (...machines: readonly { readonly ip: string }[]) =>
      machines.map(({ ip }) => `${ip} healthy`).sort();
    await world.shows('web', healthy(...far, ...(near ? [near] : [])));
    faults.respond = ({ headers }) =>
      headers.authorization?.includes('/eu-west-1/') === true
        ? { status: 500, headers: xml, body: new RawBody('<Response><Errors/></Response>') }
        : undefined;
    assert.match(await world.accountIs('CloudUnreachable'), /cannot be read in eu-west-1, its last known/);
    const [other] = await runInstances(administrator(moto.url), 1, { app: 'web' });
    await administrator(moto.url)('ec2', 'TerminateInstances', { 'InstanceId.1': near?.id ?? '' });
    await world.shows('web', healthy(...far, ...(other ? [other] : [])));
    await world.resourceIs('web', 'Stale');
    faults.respond = undefined;
    await world.resourceIs('web', 'Resolved');
    await world.shows('web', healthy(...far, ...(other ? [other] : [])));
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
