import type { ClusterProfile } from '../../kinds/cluster-profile.ts';
import type { Capability } from '../../kinds/common.ts';

/** A condition without type and time. */
export interface Finding {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The part of a node that decides whether new pods can run on it. */
export interface NodeState {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly effect?: string }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Whether a pod without tolerations can be scheduled to a node. */
export function isSchedulable({ spec, status }: NodeState): boolean {
  const isReady = status?.conditions?.some(condition => condition.type === 'Ready' && condition.status === 'True');
  const isTainted = spec?.taints?.some(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute') ?? false;
  return isReady === true && spec?.unschedulable !== true && !isTainted;
}

/** The condition `RunReady` from a cluster's nodes. */
export function describeNodes(found: { readonly isAny: boolean; readonly isSchedulable: boolean }): Finding {
  if (found.isSchedulable) {
    return { status: 'True', reason: 'NodesReady', message: 'The cluster has a node that takes pods.' };
  }
  if (!found.isAny) {
    const message = 'The cluster has no nodes; add one, or use a ClusterProfile that declares API alone.';
    return { status: 'False', reason: 'NoNode', message };
  }
  const message = 'No node of the cluster is ready and takes pods; look at its nodes (kubectl get nodes).';
  return { status: 'False', reason: 'NodesNotReady', message };
}

const unknown: Finding = {
  status: 'Unknown',
  reason: 'NodesUnknown',
  message: 'Nothing is known of the nodes of the cluster.',
};

/** The condition `RunReady` of a cluster; undefined when it only serves an API. */
export const runReadiness = (capabilities: readonly Capability[], found: Finding | undefined): Finding | undefined =>
  capabilities.includes('Run') ? (found ?? unknown) : undefined;

/**
 * The condition `Ready` of a cluster: its API, and its nodes if Run is promised. For an external cluster that is the
 * case when its profile declares Run: many that were registered before profiles could declare it have no nodes and need
 * none.
 */
export function judgeReady(api: Finding, run: Finding | undefined, isRunPromised: boolean): Finding {
  return api.status === 'True' && run?.status === 'False' && isRunPromised ? run : api;
}

export const isRunPromised = ({ spec }: ClusterProfile): boolean =>
  spec.capabilities?.includes('Run') ?? spec.providerConfigRef.name === 'local';
