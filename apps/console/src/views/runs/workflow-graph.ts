import { formatElapsed, type ObjectState } from '@chandlery/api';
import type { NodeStatus } from '@chandlery/workflow';
import type { Graph, GraphEdge, GraphNode } from '../../ui/graph/graph.ts';
import { isSuspended } from './workflow.ts';

/** Nodes that only hold others: the drawing shows what is in them. */
const groups: ReadonlySet<string> = new Set(['StepGroup', 'TaskGroup']);

/** The nodes of a Workflow in the order in which they follow each other. */
export function workflowGraph(nodes: readonly NodeStatus[], now: Date): Graph {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const isDrawn = ({ type, children = [] }: NodeStatus): boolean =>
    !groups.has(type) && !(type === 'Retry' && children.length === 1);
  const drawn = nodes.filter(isDrawn);
  return {
    nodes: drawn.map(node => nodeOf(node, now)),
    edges: drawn.flatMap(node =>
      drawnChildren(node, { byId, isDrawn }).map((to): GraphEdge => ({ from: node.id, to })),
    ),
  };
}

interface Lookup {
  readonly byId: ReadonlyMap<string, NodeStatus>;
  readonly isDrawn: (node: NodeStatus) => boolean;
}

/** What follows a node; nodes that are not drawn are replaced by what follows them. */
function drawnChildren({ children = [] }: NodeStatus, { byId, isDrawn }: Lookup): readonly string[] {
  const found = new Set(children);
  const drawn: string[] = [];
  for (const id of found) {
    const child = byId.get(id);
    if (child === undefined) continue;
    if (isDrawn(child)) drawn.push(id);
    else for (const next of child.children ?? []) found.add(next);
  }
  return drawn;
}

function nodeOf(node: NodeStatus, now: Date): GraphNode {
  const duration = formatElapsed(node, now);
  return { id: node.id, title: node.displayName, ...stateOfNode(node), ...(duration !== '' && { subtitle: duration }) };
}

/** How the states of nodes are shown; the words are those of Argo. */
const states: Readonly<Record<string, Pick<GraphNode, 'symbol'> & { readonly state: ObjectState }>> = {
  Pending: { state: 'waiting', symbol: '◷' },
  Running: { state: 'waiting' },
  Succeeded: { state: 'ready' },
  Failed: { state: 'failed' },
  Error: { state: 'failed', symbol: '⚠' },
  Skipped: { state: 'exists', symbol: '○' },
  Omitted: { state: 'exists', symbol: '○' },
};

export function stateOfNode(node: NodeStatus): Pick<GraphNode, 'state' | 'word' | 'symbol'> {
  if (isSuspended(node)) return { state: 'deleting', word: 'Suspended', symbol: 'ǁ' };
  return { ...(states[node.phase] ?? { state: 'exists' }), word: node.phase };
}

/** The node that people want to see first: what failed, else what waits for them, else what runs, else the only one. */
export function firstNode(nodes: readonly NodeStatus[]): NodeStatus | undefined {
  const work = nodes.filter(({ type }) => type !== 'DAG' && type !== 'Steps' && type !== 'Retry' && !groups.has(type));
  const earliest = (phases: readonly string[]): NodeStatus | undefined =>
    work
      .filter(({ phase }) => phases.includes(phase))
      .toSorted((one, other) => one.startedAt.localeCompare(other.startedAt))[0];
  const only = work.length === 1 ? work[0] : undefined;
  return earliest(['Failed', 'Error']) ?? work.find(isSuspended) ?? earliest(['Running']) ?? only;
}
