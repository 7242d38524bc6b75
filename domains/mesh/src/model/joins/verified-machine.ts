import type { MachineRule } from '../../kinds/machine-rule.ts';
import { maxSkewMs } from './join-proof.ts';

/** A machine as the signed document of its cloud describes it. */
export interface VerifiedMachine {
  readonly cloud: 'aws' | 'azure' | 'google';
  /** Account or project. */
  readonly account: string;
  readonly id: string;
  /** Default: it has none, as on AWS. */
  readonly name?: string;
  readonly region?: string;
  readonly zone?: string;
  /** Default: its document does not say so, and is fresh. */
  readonly launchedAt?: Date;
}

const isOneOf = (allowed: readonly string[] | undefined, value: string | undefined): boolean =>
  allowed === undefined || (value !== undefined && allowed.includes(value));

/** Why a rule does not allow a machine; undefined when it does. */
export function ruleProblem({ aws, azure, google }: MachineRule['spec'], machine: VerifiedMachine): string | undefined {
  const { cloud, account, id, name, region, zone } = machine;
  if (cloud === 'aws') {
    if (aws?.accountId !== account) return `the rule does not allow the account "${account}" of AWS`;
    if (!isOneOf(aws.regions, region)) return `the rule does not allow the region "${region}"`;
    return isOneOf(aws.instances, id) ? undefined : `the rule does not allow the instance "${id}"`;
  }
  if (cloud === 'azure') {
    if (azure?.subscriptionId !== account) return `the rule does not allow the subscription "${account}" of Azure`;
    const ids = azure.vmIds?.map(vmId => vmId.toLowerCase());
    return isOneOf(ids, id) ? undefined : `the rule does not allow the machine "${id}"`;
  }
  if (google?.project !== account) return `the rule does not allow the project "${account}" of Google`;
  if (!isOneOf(google.zones, zone)) return `the rule does not allow the zone "${zone}"`;
  return isOneOf(google.instances, name) ? undefined : `the rule does not allow the instance "${name}"`;
}

/**
 * Why a machine may not join for the first time; undefined when it may. The document of AWS is the same for the life of
 * the machine: who has seen an old one must not be the first to use it.
 */
export function firstJoinProblem(
  { aws }: MachineRule['spec'],
  { launchedAt }: VerifiedMachine,
  now: Date,
): string | undefined {
  if (aws === undefined) return undefined;
  const ageMs = launchedAt === undefined ? Number.NaN : now.getTime() - launchedAt.getTime();
  if (!(ageMs >= -maxSkewMs)) return 'it is not known when the machine was launched';
  const isLate = ageMs > aws.joinWithinMinutes * 60_000;
  return isLate ? `the machine was launched more than ${aws.joinWithinMinutes} minutes ago` : undefined;
}
