import type { InstanceVersions, ManagedInstance } from './managed-instance.ts';
import type { RolloutState } from './rollout-state.ts';

/** What the agent reports of an instance. */
export interface InstanceStatus {
  readonly condition: ReadyCondition;
  /** Undefined: nothing runs yet. */
  readonly versions: InstanceVersions | undefined;
  readonly routes: readonly ReportedRoute[];
  readonly adminUrl: string | undefined;
  /** Ready addresses of its Services with a route. */
  readonly endpoints: readonly ReportedEndpoint[];
}

export interface ReadyCondition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface ReportedRoute {
  readonly name: string;
  readonly prefix: string;
  readonly router: string;
}

/** An address at which an instance takes connections. */
export interface ReportedEndpoint {
  readonly address: string;
  readonly port: number;
  /** Name of the port of its Service. */
  readonly name: string;
}

/** What the cluster shows of an instance. */
export interface ObservedInstance {
  readonly workloads: readonly RolloutState[];
  /** That ran last, complete; undefined: none yet. */
  readonly versions: InstanceVersions | undefined;
}

/** The kind of the product in REST documents, such as `Dinosaur`. */
type ProductKind = string;

/** The condition Ready of an instance whose objects were applied. */
export function readyCondition(
  { versions: desired, isSuspended }: Pick<ManagedInstance, 'versions' | 'isSuspended'>,
  { workloads, versions }: ObservedInstance,
  kind: ProductKind,
): ReadyCondition {
  const failed = workloads.find(({ type }) => type === 'failed');
  if (failed?.type === 'failed') return { status: 'False', reason: 'Error', message: failed.message };
  const progressing = workloads.filter(state => state.type === 'progressing');
  const message = progressing.map(state => state.message).join('; ');
  if (isSuspended)
    return progressing.length === 0
      ? { status: 'False', reason: 'Suspended', message: 'Nothing of the instance runs.' }
      : { status: 'False', reason: 'Installing', message };
  if (progressing.length === 0) return { status: 'True', reason: 'Ready', message: 'All workloads are available.' };
  const isServing = versions !== undefined && progressing.every(state => state.isServing);
  return { status: isServing ? 'True' : 'False', reason: updatingReason(desired, versions, kind), message };
}

/** Whether the desired versions run. */
export const isComplete = ({ workloads }: Pick<ObservedInstance, 'workloads'>): boolean =>
  workloads.every(({ type }) => type === 'complete' || type === 'stopped');

/** The condition of an instance that only another program or order can help. */
export const errorCondition = (message: string): ReadyCondition => ({ status: 'False', reason: 'Error', message });

/** The status of an instance of which nothing is left. */
export const deletedStatus: InstanceStatus = {
  condition: { status: 'False', reason: 'Deleted', message: 'Nothing of the instance is left on the cluster.' },
  versions: undefined,
  routes: [],
  adminUrl: undefined,
  endpoints: [],
};

function updatingReason(desired: InstanceVersions, actual: InstanceVersions | undefined, kind: ProductKind): string {
  if (actual === undefined) return 'Installing';
  if (actual.product !== desired.product) return `${kind}Updating`;
  return actual.operator === desired.operator ? 'Installing' : `${kind}OperatorUpdating`;
}
