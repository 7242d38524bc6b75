import { toError } from '@chandlery/api';
import type { AwsResource } from '../../../kinds/clouds/aws-resource.ts';
import type { AccountReader, AccountReading } from '../../../ports/clouds.ts';
import { cloudError } from '../cloud-errors.ts';
import { textAt, type XmlValue } from '../xml/cloud-xml.ts';
import { type AwsCall, AwsFault, type CallAws } from './aws-api.ts';
import { awsError } from './aws-errors.ts';
import {
  type AwsInstance,
  type AwsInventory,
  type AwsMember,
  type AwsTarget,
  readGroups,
  readImpaired,
  readInstances,
  readTargets,
} from './aws-inventory.ts';
import { regionOf } from './resolve-aws.ts';

type Spec = AwsResource['spec'];

export interface AwsReaderOptions {
  readonly accountId: string;
  readonly regions: readonly string[];
  readonly api: CallAws;
}

/** The largest page of EC2. */
const instancesPerPage = 1000;
const groupsPerCall = 50;
/** A server that pages without end is cut off. */
const maxPages = 1000;

interface RegionInventory {
  readonly instances: readonly AwsInstance[];
  readonly impaired: readonly string[];
  readonly groups: readonly (readonly [string, readonly AwsMember[]])[];
  readonly targetGroups: readonly (readonly [string, readonly AwsTarget[]])[];
}

/** Reads the instances of an account in all its regions, and the groups that its resources name. */
export class AwsReader implements AccountReader<AwsInventory> {
  readonly #options: AwsReaderOptions;
  #isVerified = false;

  constructor(options: AwsReaderOptions) {
    this.#options = options;
  }

  async read(resources: readonly Spec[], signal: AbortSignal): Promise<AccountReading<AwsInventory>> {
    const { regions } = this.#options;
    const settled = await Promise.allSettled(regions.map(region => this.#readRegion(region, resources, signal)));
    const read = settled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
    const unreadRegions = regions.filter((_, index) => settled[index]?.status === 'rejected');
    const inventory: AwsInventory = {
      instances: new Map(read.flatMap(({ instances }) => instances).map(instance => [instance.id, instance])),
      impaired: new Set(read.flatMap(({ impaired }) => impaired)),
      groups: mergeGroups(read.flatMap(({ groups }) => groups)),
      targetGroups: new Map(read.flatMap(({ targetGroups }) => targetGroups)),
      unreadRegions,
    };
    const errors = settled.flatMap(result => (result.status === 'rejected' ? [awsError(result.reason)] : []));
    const [error] = errors;
    if (error === undefined) return { inventory };
    if (read.length === 0 || error.code === 'CloudAccountMismatch') throw error;
    return { inventory, unread: { places: unreadRegions, error } };
  }

  async #readRegion(region: string, resources: readonly Spec[], signal: AbortSignal): Promise<RegionInventory> {
    await this.#verifyAccount(region, signal);
    if (resources.length === 0) return { instances: [], impaired: [], groups: [], targetGroups: [] };
    const names = [...new Set(resources.flatMap(({ autoScalingGroup }) => autoScalingGroup ?? []))].sort();
    const arns = [...new Set(resources.flatMap(({ targetGroup }) => targetGroup ?? []))].sort();
    const [instances, impaired, groups, targetGroups] = await Promise.all([
      this.#readInstances(region, signal),
      this.#readImpaired(region, signal),
      this.#readGroups(region, names, signal),
      this.#readTargetGroups(region, arns, signal),
    ]);
    return { instances, impaired, groups, targetGroups };
  }

  /** The credentials decide which account is read: a tenant must not get another one than the named. */
  async #verifyAccount(region: string, signal: AbortSignal): Promise<void> {
    if (this.#isVerified) return;
    const { accountId, api } = this.#options;
    const identity = await api({ service: 'sts', region, action: 'GetCallerIdentity' }, signal);
    const found = textAt(identity, 'GetCallerIdentityResult', 'Account');
    if (found !== accountId) {
      throw cloudError('CloudAccountMismatch', `the credentials are not of the account ${accountId}`, {
        hint: 'Correct spec.aws.accountId, or give an access key of that account.',
      });
    }
    this.#isVerified = true;
  }

  async #readInstances(region: string, signal: AbortSignal): Promise<readonly AwsInstance[]> {
    const parameters = {
      MaxResults: String(instancesPerPage),
      'Filter.1.Name': 'instance-state-name',
      ...numbered('Filter.1.Value', ['pending', 'running', 'shutting-down', 'stopping', 'stopped']),
    };
    const pages = await this.#pages({ service: 'ec2', region, action: 'DescribeInstances', parameters }, signal);
    return pages.flatMap(page => readInstances(page, region));
  }

  async #readImpaired(region: string, signal: AbortSignal): Promise<readonly string[]> {
    const parameters = { MaxResults: String(instancesPerPage) };
    const pages = await this.#pages({ service: 'ec2', region, action: 'DescribeInstanceStatus', parameters }, signal);
    return pages.flatMap(readImpaired);
  }

  async #readGroups(region: string, names: readonly string[], signal: AbortSignal) {
    const call = { service: 'autoscaling', region, action: 'DescribeAutoScalingGroups' } as const;
    const batches = Array.from({ length: Math.ceil(names.length / groupsPerCall) }, (_, index) =>
      names.slice(index * groupsPerCall, (index + 1) * groupsPerCall),
    );
    const pages = await Promise.all(
      batches.map(batch =>
        this.#pages({ ...call, parameters: numbered('AutoScalingGroupNames.member', batch) }, signal),
      ),
    );
    return pages.flat().flatMap(readGroups);
  }

  async #readTargetGroups(region: string, arns: readonly string[], signal: AbortSignal) {
    const own = arns.filter(arn => regionOf(arn) === region && arn.split(':')[4] === this.#options.accountId);
    const read = await Promise.all(own.map(arn => this.#readTargets(region, arn, signal)));
    return read.flatMap(targets => targets ?? []);
  }

  /** Undefined for a target group that does not exist: it must not keep others from being read. */
  async #readTargets(region: string, arn: string, signal: AbortSignal) {
    const call = { service: 'elasticloadbalancing', region, action: 'DescribeTargetHealth' } as const;
    try {
      const page = await this.#options.api({ ...call, parameters: { TargetGroupArn: arn } }, signal);
      return [[arn, readTargets(page)] as const];
    } catch (thrown) {
      if (thrown instanceof AwsFault && thrown.code === 'TargetGroupNotFound') return undefined;
      throw thrown;
    }
  }

  async #pages(call: AwsCall, signal: AbortSignal): Promise<readonly XmlValue[]> {
    const pages: XmlValue[] = [];
    let token: string | undefined;
    do {
      const parameters = { ...call.parameters, ...(token && { NextToken: token }) };
      const page = await this.#options.api({ ...call, parameters }, signal);
      pages.push(page);
      token = textAt(page, 'nextToken') ?? textAt(page, `${call.action}Result`, 'NextToken');
    } while (token !== undefined && pages.length < maxPages);
    if (token !== undefined) throw toError(new Error(`${call.action} has more than ${maxPages} pages`));
    return pages;
  }
}

const numbered = (name: string, values: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(values.map((value, index) => [`${name}.${index + 1}`, value]));

function mergeGroups(groups: readonly (readonly [string, readonly AwsMember[]])[]) {
  const merged = new Map<string, readonly AwsMember[]>();
  for (const [name, members] of groups) merged.set(name, [...(merged.get(name) ?? []), ...members]);
  return merged;
}
