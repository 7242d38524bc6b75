import { at, listOf, textAt, type XmlValue } from '../xml/cloud-xml.ts';

export interface AwsInstance {
  readonly id: string;
  readonly region: string;
  readonly zone: string | undefined;
  /** Of EC2: `pending`, `running`, `shutting-down`, `stopping`, `stopped`. */
  readonly state: string;
  readonly privateIp: string | undefined;
  readonly publicIp: string | undefined;
  readonly ipv6: string | undefined;
  readonly tags: ReadonlyMap<string, string>;
}

/** A member of an Auto Scaling group. */
export interface AwsMember {
  readonly id: string;
  /** Such as `InService`, `Terminating:Wait`. */
  readonly lifecycle: string;
  /** `Healthy` or `Unhealthy`. */
  readonly health: string;
}

export interface AwsTarget {
  /** An instance id or an IP address. */
  readonly id: string;
  readonly port: number;
  readonly zone: string | undefined;
  /** Such as `healthy`, `draining`. */
  readonly state: string;
}

/** What a poll of an account reads, of all its regions. */
export interface AwsInventory {
  readonly instances: ReadonlyMap<string, AwsInstance>;
  /** Instances whose status check fails. */
  readonly impaired: ReadonlySet<string>;
  /** By name; a group of that name in two regions has the members of both. */
  readonly groups: ReadonlyMap<string, readonly AwsMember[]>;
  /** By ARN. */
  readonly targetGroups: ReadonlyMap<string, readonly AwsTarget[]>;
  /** Regions that could not be read. */
  readonly unreadRegions: readonly string[];
}

/** Instances of a page of DescribeInstances. */
export const readInstances = (page: XmlValue, region: string): readonly AwsInstance[] =>
  listOf(at(page, 'reservationSet', 'item'))
    .flatMap(reservation => listOf(at(reservation, 'instancesSet', 'item')))
    .map(instance => readInstance(instance, region));

const readInstance = (instance: XmlValue, region: string): AwsInstance => ({
  id: textAt(instance, 'instanceId') ?? '',
  region,
  zone: textAt(instance, 'placement', 'availabilityZone'),
  state: textAt(instance, 'instanceState', 'name') ?? '',
  privateIp: textAt(instance, 'privateIpAddress'),
  publicIp: textAt(instance, 'ipAddress'),
  ipv6: textAt(instance, 'ipv6Address') ?? firstIpv6(instance),
  tags: new Map(
    listOf(at(instance, 'tagSet', 'item')).map(tag => [textAt(tag, 'key') ?? '', textAt(tag, 'value') ?? '']),
  ),
});

const firstIpv6 = (instance: XmlValue): string | undefined =>
  listOf(at(instance, 'networkInterfaceSet', 'item'))
    .flatMap(network => listOf(at(network, 'ipv6AddressesSet', 'item')))
    .map(address => textAt(address, 'ipv6Address'))
    .find(address => address !== undefined);

/** Ids of a page of DescribeInstanceStatus whose checks fail. Checks that have not run yet do not count. */
export const readImpaired = (page: XmlValue): readonly string[] =>
  listOf(at(page, 'instanceStatusSet', 'item'))
    .filter(status =>
      [textAt(status, 'systemStatus', 'status'), textAt(status, 'instanceStatus', 'status')].includes('impaired'),
    )
    .map(status => textAt(status, 'instanceId') ?? '');

/** Groups of a page of DescribeAutoScalingGroups. */
export const readGroups = (page: XmlValue): readonly (readonly [name: string, members: readonly AwsMember[]])[] =>
  listOf(at(page, 'DescribeAutoScalingGroupsResult', 'AutoScalingGroups', 'member')).map(group => [
    textAt(group, 'AutoScalingGroupName') ?? '',
    listOf(at(group, 'Instances', 'member')).map(member => ({
      id: textAt(member, 'InstanceId') ?? '',
      lifecycle: textAt(member, 'LifecycleState') ?? '',
      health: textAt(member, 'HealthStatus') ?? '',
    })),
  ]);

/** Targets of DescribeTargetHealth. */
export const readTargets = (page: XmlValue): readonly AwsTarget[] =>
  listOf(at(page, 'DescribeTargetHealthResult', 'TargetHealthDescriptions', 'member')).map(description => ({
    id: textAt(description, 'Target', 'Id') ?? '',
    port: Number(textAt(description, 'Target', 'Port')),
    zone: textAt(description, 'Target', 'AvailabilityZone'),
    state: textAt(description, 'TargetHealth', 'State') ?? '',
  }));
