import { matchesFields, parseFieldSelector } from '@chandlery/api';
import type { WorkflowDocument } from '../document/workflow.ts';
import { fieldsOf } from '../engine/commands.ts';
import { isFailed, type NodeStatus, type NodeType, type WorkflowStatus } from '../engine/node-status.ts';
import { WorkflowError } from '../errors.ts';
import { NodeGraph } from './node-graph.ts';
import { overrideParameters } from './override-parameters.ts';
import { resetPath } from './reset-path.ts';

/** A workflow with everything that was stored of it. */
export interface StoredWorkflow {
  readonly document: WorkflowDocument;
  readonly status: WorkflowStatus;
  readonly nodes: readonly NodeStatus[];
}

export interface RetryOptions {
  /** Executes nodes that succeeded again too, those that the selector selects. Default false. */
  readonly restartSuccessful?: boolean;
  readonly selector?: string;
  /** Other values for arguments of the workflow. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface RetriedWorkflow extends StoredWorkflow {
  /** Names of nodes that are no more. */
  readonly removed: readonly string[];
}

const leafTypes: ReadonlySet<NodeType> = new Set(['Pod', 'HTTP', 'Suspend', 'Skipped', 'Container']);

/** The workflow as it was before its failures: failed nodes and what followed them are removed, others are kept. */
export function retryWorkflow(
  { document, status, nodes }: StoredWorkflow,
  options: RetryOptions = {},
): RetriedWorkflow {
  checkPhase(status, options);
  const graph = new NodeGraph(nodes);
  const reset = new Set<string>();
  const removed = new Set<string>();
  const starts = startingPoints(graph, options);
  if (starts.length === 0) for (const { name } of nodes.filter(isFailed)) reset.add(name);
  for (const start of starts) {
    if (removed.has(start.name)) continue;
    const path = resetPath(graph, start);
    for (const name of path.reset) reset.add(name);
    for (const name of path.removed) removed.add(name);
  }
  for (const node of nodes) if (isExitOf(graph.root, node)) removed.add(node.name);
  if (options.parameters !== undefined) removeItems(graph, reset, removed);
  const kept = nodes.filter(({ name }) => !removed.has(name));
  const ids = new Set(kept.map(({ id }) => id));
  const { shutdown: _shutdown, ...spec } = document.spec;
  return {
    document: overrideParameters({ ...document, spec }, options.parameters),
    status: resetStatus(status),
    nodes: kept.map(node => prune(reset.has(node.name) ? resetNode(node) : node, ids)),
    removed: [...removed],
  };
}

function checkPhase({ phase }: WorkflowStatus, { restartSuccessful = false, selector = '' }: RetryOptions): void {
  if (phase === 'Failed' || phase === 'Error') return;
  if (phase !== 'Succeeded') throw new WorkflowError('invalid-command', `Cannot retry a workflow in phase ${phase}`);
  if (restartSuccessful && selector !== '') return;
  const text = 'To retry a succeeded workflow, set the options restartSuccessful and nodeFieldSelector';
  throw new WorkflowError('invalid-command', text);
}

/** Leaves that failed without anything after them that succeeded, and those that the selector selects; upper ones first. */
function startingPoints(graph: NodeGraph, { restartSuccessful = false, selector = '' }: RetryOptions): NodeStatus[] {
  const parsed = restartSuccessful && selector !== '' ? parseFieldSelector(selector) : undefined;
  return graph.fromTop().filter(node => {
    if (parsed !== undefined && matchesFields(parsed, fieldsOf(node))) return true;
    return leafTypes.has(node.type) && isFailed(node) && !graph.isHandled(node) && !graph.isSuperseded(node);
  });
}

const isExitOf = (root: NodeStatus | undefined, node: NodeStatus): boolean =>
  root !== undefined && node.name.startsWith(`${root.name}.onExit`);

/** Items of loops are expanded again from the new arguments. */
function removeItems(graph: NodeGraph, reset: ReadonlySet<string>, removed: Set<string>): void {
  for (const name of reset) {
    const node = removed.has(name) ? undefined : graph.get(name);
    if (node?.type !== 'TaskGroup' && node?.type !== 'StepGroup') continue;
    for (const followed of graph.followersOf(node)) removed.add(followed);
  }
}

function resetStatus({ outputs }: WorkflowStatus): WorkflowStatus {
  return outputs === undefined ? { phase: 'Pending' } : { phase: 'Pending', outputs };
}

function resetNode(node: NodeStatus): NodeStatus {
  const { message: _message, finishedAt: _finishedAt, outputs: _outputs, outboundNodes: _outbound, ...rest } = node;
  return { ...rest, phase: 'Running' };
}

function prune(node: NodeStatus, ids: ReadonlySet<string>): NodeStatus {
  const pruned: NodeStatus = { ...node };
  if (node.children !== undefined) pruned.children = node.children.filter(id => ids.has(id));
  if (node.outboundNodes !== undefined) pruned.outboundNodes = node.outboundNodes.filter(id => ids.has(id));
  return pruned;
}
