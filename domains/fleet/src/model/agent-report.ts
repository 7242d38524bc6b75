import type { InstanceEvent, InstanceRoutes, InstanceStatus } from './instance-events.ts';

/** A condition as an agent reports it. */
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** What an agent says of an instance. */
export type Verdict =
  | 'ready'
  | 'installing'
  | 'unknown'
  | 'error'
  | 'deleted'
  | 'rejected'
  | 'cluster-full'
  | 'suspended';

const fullMessage = 'Cluster has insufficient resources';
const verdictsByReason: Readonly<Record<string, Verdict>> = {
  Installing: 'installing',
  Deleted: 'deleted',
  Error: 'error',
  Rejected: 'rejected',
};

/** The condition that counts: the one of type Ready, in whatever case. */
export const findReady = <C extends Condition>(conditions: readonly C[]): C | undefined =>
  conditions.find(({ type }) => type.toLowerCase() === 'ready');

/** Reads the verdict out of the conditions, in the order of the reference. */
export function verdictOf(conditions: readonly Condition[]): Verdict {
  const ready = findReady(conditions);
  if (ready === undefined) return 'installing';
  if (ready.reason === 'Suspended') return 'suspended';
  if (ready.status.toLowerCase() === 'true') return 'ready';
  if (ready.status.toLowerCase() === 'unknown') return 'unknown';
  if (ready.reason === 'Rejected' && ready.message === fullMessage) return 'cluster-full';
  return verdictsByReason[ready.reason] ?? 'installing';
}

/** What a verdict needs besides the report. */
export interface VerdictContext {
  readonly routes: InstanceRoutes | undefined;
  readonly adminUrl: string | undefined;
  readonly message: string;
  readonly newPlacementId: () => string;
  /** Units that it keeps when it leaves its cluster. */
  readonly keptHolds: readonly string[];
}

/** The event of a verdict; undefined: it says nothing. */
export function eventOfVerdict(verdict: Verdict, context: VerdictContext): InstanceEvent | undefined {
  const { routes, adminUrl, message, newPlacementId, keptHolds } = context;
  switch (verdict) {
    case 'ready':
      return { type: 'agent-ready', routes, adminUrl };
    case 'installing':
      return { type: 'agent-installing', routes };
    case 'error':
      return { type: 'agent-error', message: message === '' ? 'the agent reported an error' : message };
    case 'deleted':
      return { type: 'agent-deleted' };
    case 'rejected':
      return { type: 'agent-rejected', placementId: newPlacementId() };
    case 'cluster-full':
      return { type: 'agent-cluster-full', keptHolds };
    case 'suspended':
      return { type: 'agent-suspended' };
    case 'unknown':
      return undefined;
  }
}

/** The versions that an agent reported, and what it is upgrading. */
export function versionsEvent(
  status: InstanceStatus,
  versions: { readonly product: string | undefined; readonly operator: string | undefined },
  { conditions, kind }: { readonly conditions: readonly Condition[]; readonly kind: string },
): InstanceEvent {
  const reason = findReady(conditions)?.reason;
  const actual = {
    ...status.actual,
    ...(versions.product ? { product: versions.product } : {}),
    ...(versions.operator ? { operator: versions.operator } : {}),
  };
  const isReported = Object.keys(actual).length > 0;
  return {
    type: 'agent-versions',
    actual: isReported ? actual : undefined,
    upgrading: upgradingOf(status, reason, kind),
  };
}

/** Without the condition flags stay as they are. */
function upgradingOf(
  { upgrading }: InstanceStatus,
  reason: string | undefined,
  kind: string,
): InstanceStatus['upgrading'] {
  if (reason === undefined) return upgrading;
  const flags = { product: reason === `${kind}Updating`, operator: reason === `${kind}OperatorUpdating` };
  return upgrading === undefined && !flags.product && !flags.operator ? undefined : flags;
}
