import type { KubeObject } from '@chandlery/api';
import { hasNodes } from '../../resources/cluster-nodes.ts';
import type { Behaviour, BehaviourContext } from '../behaviour.ts';
import { warningEvent } from './warning-event.ts';

/** How a kind of workload says that nothing runs its pods. */
export interface NoNodesOptions {
  /** A condition that the kind's controller sets or removes once there is one. */
  readonly condition: { readonly type: string; readonly status: 'True' | 'False' };
  /** False for what has no pods to run. */
  readonly wantsPods: (object: KubeObject) => boolean;
}

interface Workload extends KubeObject {
  status?: { conditions?: { type: string; reason?: string }[] };
}

const reason = 'NoNode';

const messageFor = (kind: string): string =>
  `This cluster has no nodes: the ${kind} is stored, but nothing runs its pods. Run it on a cluster with the capability Run: a local cluster, or an external one.`;

/**
 * Lets a kind of workload say at its creation that its cluster only serves an API: by a condition, an event and a warning to
 * the client. No controller does: the controllers of workloads come with a node.
 */
export const withNoNodeReport = (behaviour: Behaviour, options: NoNodesOptions): Behaviour => ({
  ...behaviour,
  async prepareCreate(object, context) {
    await behaviour.prepareCreate?.(object, context);
    if (options.wantsPods(object)) await stateNoNodes(object, options, context);
  },
  withCreate: (object, context) => ({ writes: isStated(object) ? [eventOf(object, context)] : [] }),
});

async function stateNoNodes(
  workload: Workload,
  { condition }: NoNodesOptions,
  { deps, target, write, now }: BehaviourContext,
): Promise<void> {
  if (await hasNodes(deps, target.cluster)) return;
  const message = messageFor(workload.kind);
  write.warn?.(message);
  workload.status = {
    ...workload.status,
    conditions: [{ ...condition, reason, message, lastTransitionTime: now } as { type: string }],
  };
}

const isStated = ({ status }: Workload): boolean =>
  status?.conditions?.some(condition => condition.reason === reason) ?? false;

const eventOf = (object: KubeObject, context: BehaviourContext) =>
  warningEvent(object, { reason, message: messageFor(object.kind) }, context);
