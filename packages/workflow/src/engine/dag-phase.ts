import type { Core } from './core.ts';
import { isCompleted, isFulfilled, type NodePhase, type NodeStatus } from './node-status.ts';

export interface DagTarget {
  readonly node: NodeStatus | undefined;
  /** Whether a phase of this target does not count against the dag. */
  readonly isTolerated: (phase: NodePhase) => boolean;
}

/**
 * The phase of a dag. Every branch carries the phase of its last completed node, so that a target that was omitted after a
 * failure counts as failed, and a failure that a later task handled does not count.
 */
export function assessDag(core: Core, dag: NodeStatus, targets: readonly DagTarget[]): NodePhase {
  const reached = new Map<NodeStatus, NodePhase>();
  const seen = new Map<NodePhase, Set<NodeStatus>>();
  const queue: { node: NodeStatus; phase: NodePhase }[] = [];
  const add = (nodes: readonly NodeStatus[], phase: NodePhase): void => {
    if (nodes.length === 0) return;
    const known = seen.get(phase) ?? new Set();
    seen.set(phase, known);
    for (const node of nodes) {
      if (known.has(node)) continue;
      known.add(node);
      queue.push({ node, phase });
    }
  };
  add(core.nodes.childrenOf(dag), 'Succeeded');
  for (let at = 0; at < queue.length; at++) {
    const entry = queue[at];
    if (entry === undefined) break;
    const { node } = entry;
    if (!isFulfilled(node)) return 'Running';
    const phase = isCompleted(node) ? node.phase : entry.phase;
    if (!isFailure(reached.get(node))) reached.set(node, phase);
    add(node.type === 'Retry' ? afterRetry(core, node) : core.nodes.childrenOf(node), phase);
  }
  return conclude(targets, reached);
}

function conclude(targets: readonly DagTarget[], reached: ReadonlyMap<NodeStatus, NodePhase>): NodePhase {
  let result: NodePhase = 'Succeeded';
  for (const { node, isTolerated } of targets) {
    const phase = node === undefined ? undefined : reached.get(node);
    if (phase === undefined) result = 'Running';
    else if (isFailure(phase) && !isTolerated(phase)) return phase;
  }
  return result;
}

const isFailure = (phase: NodePhase | undefined): boolean => phase === 'Failed' || phase === 'Error';

/**
 * What follows a Retry node: hooks, what follows its attempts, whose own phases do not count, and tasks that are below it
 * because it is the hook of the task before them.
 */
const afterRetry = (core: Core, retry: NodeStatus): NodeStatus[] =>
  core.nodes
    .childrenOf(retry)
    .toReversed()
    .flatMap(child => (child.nodeFlag?.retried === true ? core.nodes.childrenOf(child) : [child]));
