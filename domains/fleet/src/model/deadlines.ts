import type { FleetInstance } from '../kinds/index.ts';
import type { Deadlines } from './configuration/configuration.ts';
import type { InstanceStatus } from './instance-events.ts';

/** When an instance must have got on, and what happens otherwise. */
export interface Deadline {
  readonly at: Date;
  /** `fail`: it fails with the reason. `report`: its state stays, and a condition says that it takes too long. */
  readonly effect: 'fail' | 'report';
  readonly reason: string;
}

/** What a deadline is computed from. */
export interface DeadlineInput {
  readonly spec: Pick<FleetInstance['spec'], 'region'>;
  readonly status: InstanceStatus;
  readonly createdAt: string;
  /** Since when its cluster is ready; the time without versions does not count before. Undefined: it has no cluster. */
  readonly clusterReadySince?: string | undefined;
}

/**
 * The deadline of an instance in its present state; undefined in states that it may stay in. Deletions and suspensions
 * are never given up: there, missing the deadline is only reported.
 */
export function deadlineOf(input: DeadlineInput, deadlines: Deadlines): Deadline | undefined {
  const { status } = input;
  const since = Date.parse(status.stateSince ?? input.createdAt);
  const within = (seconds: number, effect: Deadline['effect'], reason: string): Deadline => ({
    at: new Date(since + seconds * 1000),
    effect,
    reason,
  });
  switch (status.state) {
    case 'accepted':
      return status.clusterId === undefined
        ? within(deadlines.accepted, 'fail', noClusterReason(input))
        : versionDeadline(input, deadlines.noVersion);
    case 'preparing':
      return within(deadlines.preparing, 'fail', `it was not prepared within ${deadlines.preparing} seconds`);
    case 'provisioning':
      return within(deadlines.provisioning, 'fail', withRoutesProblem('become ready', input, deadlines));
    case 'resuming':
      return within(deadlines.provisioning, 'fail', withRoutesProblem('resume', input, deadlines));
    case 'suspending':
    case 'deprovision':
    case 'deleting':
      return within(
        deadlines.provisioning,
        'report',
        `it has been ${status.state} for too long; look at the agent of its cluster`,
      );
    default:
      return undefined;
  }
}

function withRoutesProblem(what: string, { status }: DeadlineInput, { provisioning }: Deadlines): string {
  const missed = `it did not ${what} within ${provisioning} seconds`;
  return status.routesProblem === undefined ? missed : `${missed}: ${status.routesProblem}`;
}

const noClusterReason = ({ spec, status }: DeadlineInput): string =>
  `region ${spec.region ?? ''} cannot accept instances of type ${status.instanceType ?? ''}, size ${status.sizeId ?? ''}, at this moment`;

function versionDeadline({ status, createdAt, clusterReadySince }: DeadlineInput, seconds: number): Deadline {
  const since = Math.max(
    Date.parse(status.stateSince ?? createdAt),
    clusterReadySince === undefined ? 0 : Date.parse(clusterReadySince),
  );
  return {
    at: new Date(since + seconds * 1000),
    effect: 'fail',
    reason: `no version is ready on cluster ${status.clusterId}`,
  };
}
