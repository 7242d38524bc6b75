import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseXML } from '@aws-sdk/xml-builder';
import type { AwsResource } from '../../../kinds/clouds/aws-resource.ts';
import { at, type XmlValue } from '../xml/cloud-xml.ts';
import { type AwsInventory, readGroups, readImpaired, readInstances, readTargets } from './aws-inventory.ts';
import { resolveAws } from './resolve-aws.ts';

const root = (xml: string, name: string): XmlValue => at(parseXML(xml) as XmlValue, name);

const instance = (id: string, state: string, more = ''): string =>
  `<item><instanceId>${id}</instanceId><instanceState><name>${state}</name></instanceState>
   <privateIpAddress>10.0.0.${id.at(-1)}</privateIpAddress><ipAddress>198.51.100.${id.at(-1)}</ipAddress>
   <placement><availabilityZone>eu-central-1a</availabilityZone></placement>${more}</item>`;

const tags =
  '<tagSet><item><key>app</key><value>web</value></item><item><key>stage</key><value>prod</value></item></tagSet>';
const ipv6 = `<networkInterfaceSet><item><ipv6AddressesSet><item><ipv6Address>2001:DB8::1</ipv6Address></item>
  </ipv6AddressesSet></item></networkInterfaceSet>`;

const instances = readInstances(
  root(
    `<DescribeInstancesResponse><reservationSet>
       <item><instancesSet>${instance('i-1', 'running', tags + ipv6)}${instance('i-2', 'pending')}</instancesSet></item>
       <item><instancesSet>${instance('i-3', 'running', tags)}</instancesSet></item>
       <item><instancesSet>${instance('i-4', 'stopped')}${instance('i-5', 'shutting-down')}</instancesSet></item>
     </reservationSet></DescribeInstancesResponse>`,
    'DescribeInstancesResponse',
  ),
  'eu-central-1',
);

const impaired = readImpaired(
  root(
    `<DescribeInstanceStatusResponse><instanceStatusSet>
       <item><instanceId>i-1</instanceId><systemStatus><status>ok</status></systemStatus>
         <instanceStatus><status>initializing</status></instanceStatus></item>
       <item><instanceId>i-3</instanceId><systemStatus><status>impaired</status></systemStatus>
         <instanceStatus><status>ok</status></instanceStatus></item>
     </instanceStatusSet></DescribeInstanceStatusResponse>`,
    'DescribeInstanceStatusResponse',
  ),
);

const member = (id: string, lifecycle: string, health = 'Healthy'): string =>
  `<member><InstanceId>${id}</InstanceId><LifecycleState>${lifecycle}</LifecycleState><HealthStatus>${health}</HealthStatus></member>`;

const groups = readGroups(
  root(
    `<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult><AutoScalingGroups><member>
       <AutoScalingGroupName>workers</AutoScalingGroupName><Instances>${member('i-1', 'InService')}
       ${member('i-2', 'Pending:Wait')}${member('i-5', 'Terminating:Wait')}${member('i-9', 'Terminated')}</Instances>
     </member></AutoScalingGroups></DescribeAutoScalingGroupsResult></DescribeAutoScalingGroupsResponse>`,
    'DescribeAutoScalingGroupsResponse',
  ),
);

const target = (id: string, state: string, port = 8080): string =>
  `<member><Target><Id>${id}</Id><Port>${port}</Port><AvailabilityZone>eu-central-1b</AvailabilityZone></Target>
   <TargetHealth><State>${state}</State></TargetHealth></member>`;

const arn = 'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/web/0123456789abcdef';
const targets = readTargets(
  root(
    `<DescribeTargetHealthResponse><DescribeTargetHealthResult><TargetHealthDescriptions>${target('i-1', 'draining')}
       ${target('i-2', 'healthy')}${target('10.1.0.7', 'unhealthy')}${target('10.1.0.8', 'healthy')}
       ${target('10.1.0.8', 'draining', 9090)}</TargetHealthDescriptions>
     </DescribeTargetHealthResult></DescribeTargetHealthResponse>`,
    'DescribeTargetHealthResponse',
  ),
);

const inventory: AwsInventory = {
  instances: new Map(instances.map(each => [each.id, each])),
  impaired: new Set(impaired),
  groups: new Map(groups),
  targetGroups: new Map([[arn, targets]]),
  unreadRegions: [],
};

type Spec = AwsResource['spec'];
const resource = (more: Partial<Spec>): Spec => ({
  ...{ account: 'prod', service: 'web', ports: [{ name: '', port: 80 }], weight: 1, address: 'private' },
  ...more,
});
const resolve = (more: Partial<Spec>) => resolveAws(resource(more), inventory);
const statesOf = (more: Partial<Spec>) => resolve(more).machines.map(({ id, state }) => `${id} ${state}`);

describe('Machines of AWS', () => {
  it('are found by id, with place and state', () => {
    const { machines, missing } = resolve({ instances: ['i-1', 'i-8'] });
    const place = { region: 'eu-central-1', zone: 'eu-central-1a' };
    assert.deepEqual(machines, [{ id: 'i-1', address: '10.0.0.1', state: 'Running', ...place }]);
    assert.deepEqual(missing, ['i-8']);
    const all = ['i-1', 'i-2', 'i-3', 'i-4', 'i-5'];
    const expected = ['i-1 Running', 'i-2 Starting', 'i-3 Unhealthy', 'i-4 Stopped', 'i-5 Draining'];
    assert.deepEqual(statesOf({ instances: all }), expected);
  });

  it('are found by all of their tags', () => {
    assert.deepEqual(statesOf({ tags: { app: 'web', stage: 'prod' } }), ['i-1 Running', 'i-3 Unhealthy']);
    assert.deepEqual(statesOf({ tags: { app: 'web', stage: 'test' } }), []);
  });

  it('are the members of a group, in the phase of their life', () => {
    assert.deepEqual(statesOf({ autoScalingGroup: 'workers' }), ['i-1 Running', 'i-2 Starting', 'i-5 Draining']);
    assert.deepEqual(resolve({ autoScalingGroup: 'others' }).missing, ['others']);
  });

  it('are the targets of a group, with the health that the load balancer sees', () => {
    const others = ['i-1 Draining', 'i-2 Starting', '10.1.0.7 Unhealthy'];
    assert.deepEqual(statesOf({ targetGroup: arn, ports: [{ name: 'http', port: 8080 }] }), [
      ...others,
      '10.1.0.8 Running',
    ]);
    assert.deepEqual(
      statesOf({ targetGroup: arn, ports: [{ name: 'http', port: 9090 }] }),
      [...others, '10.1.0.8 Draining'],
      'which is registered with two ports',
    );
    const [, , address] = resolve({ targetGroup: arn }).machines;
    assert.deepEqual([address?.region, address?.zone], ['eu-central-1', 'eu-central-1b']);
  });

  it('stay as they were while their region cannot be read', () => {
    const endpoint = { ip: '10.0.0.1', port: 80, portName: 'http', state: 'Running' as const, weight: 1 };
    const { keeps } = resolveAws(resource({ tags: { app: 'web' } }), { ...inventory, unreadRegions: ['eu-west-1'] });
    assert.ok(keeps !== undefined && keeps({ ...endpoint, region: 'eu-west-1' }));
    assert.ok(!keeps({ ...endpoint, region: 'eu-central-1' }));
    assert.equal(resolve({ tags: { app: 'web' } }).keeps, undefined);
  });

  it('have the wanted kind of address, or are left out', () => {
    const addresses = (address: Spec['address']) =>
      resolve({ instances: ['i-1', 'i-3'], address }).machines.map(machine => machine.address);
    assert.deepEqual(addresses('public'), ['198.51.100.1', '198.51.100.3']);
    assert.deepEqual(addresses('ipv6'), ['2001:db8::1']);
  });
});
