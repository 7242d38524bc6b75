import type { NodeStatus, NodeType } from '../engine/node-status.ts';
import type { NodeGraph } from './node-graph.ts';

export interface ResetPath {
  /** Names of nodes that run again. */
  readonly reset: ReadonlySet<string>;
  /** Names of nodes that are no more. */
  readonly removed: ReadonlySet<string>;
}

const groupTypes: ReadonlySet<NodeType> = new Set(['DAG', 'TaskGroup', 'StepGroup', 'Steps']);

/**
 * What a node that is executed again leads to, as Argo decides: it is removed with everything that follows it, and on the
 * way up from it each template, group and loop runs again, with those around it.
 */
export function resetPath(graph: NodeGraph, start: NodeStatus): ResetPath {
  const removed = graph.followersOf(start).add(start.name);
  const reset = new Set<string>();
  let at: NodeStatus | undefined = start.type === 'Container' ? removePod(graph, start, removed) : start;
  while (at !== undefined) {
    if (groupTypes.has(at.type)) {
      reset.add(at.name);
      at = resetAround(graph, at, reset);
    } else {
      if (at.type === 'Retry' && (at.phase === 'Failed' || at.phase === 'Error')) reset.add(at.name);
      at = graph.parentOf(at);
    }
  }
  return { reset, removed };
}

/** The containers of a set are executed again as a whole. */
function removePod(graph: NodeGraph, container: NodeStatus, removed: Set<string>): NodeStatus | undefined {
  let pod: NodeStatus | undefined = container;
  while (pod !== undefined && pod.type !== 'Pod') pod = graph.parentOf(pod);
  if (pod === undefined) return undefined;
  removed.add(pod.name);
  for (const name of graph.followersOf(pod)) removed.add(name);
  return pod;
}

/** Lets everything run again that a group is in. Returns what is above all of it. */
function resetAround(graph: NodeGraph, group: NodeStatus, reset: Set<string>): NodeStatus | undefined {
  let at: NodeStatus | undefined = group;
  while (at !== undefined) {
    let parent = graph.parentOf(at);
    if (parent?.type === 'Retry') {
      reset.add(parent.name);
      at = parent;
      parent = graph.parentOf(at);
    }
    if (parent?.type === 'StepGroup' || parent?.type === 'TaskGroup') reset.add(parent.name);
    const boundary = graph.boundaryOf(at);
    if (boundary === undefined) return parent;
    reset.add(boundary.name);
    at = boundary;
  }
  return undefined;
}
