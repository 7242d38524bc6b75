import { nodeIdOf } from '../document/node-ids.ts';
import type { WorkflowDocument } from '../document/workflow.ts';
import { isFailed, type NodeStatus } from '../engine/node-status.ts';
import { WorkflowError } from '../errors.ts';
import { overrideParameters } from './override-parameters.ts';
import type { StoredWorkflow } from './retry-workflow.ts';

export interface ResubmitOptions {
  /** The name of the new workflow. */
  readonly name: string;
  /** Takes over the nodes that succeeded. Default false. */
  readonly isMemoized?: boolean;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Labels that say something about the old workflow alone. */
const droppedLabels: ReadonlySet<string> = new Set(
  ['creator', 'creator-email', 'creator-preferred-username', 'phase', 'completed', 'workflow-archiving-status'].map(
    name => `workflows.argoproj.io/${name}`,
  ),
);

/** A new workflow from the document of another one. */
export function resubmitWorkflow(stored: StoredWorkflow, options: ResubmitOptions): StoredWorkflow {
  const { document, status, nodes } = stored;
  if (options.isMemoized === true && status.phase !== 'Failed' && status.phase !== 'Error') {
    throw new WorkflowError('invalid-command', 'workflow must be Failed/Error to resubmit in memoized mode');
  }
  const { shutdown: _shutdown, ...spec } = document.spec;
  const renewed = { ...document, metadata: newMetadata(document, options.name), spec };
  return {
    document: overrideParameters(renewed, options.parameters),
    status: { phase: '' },
    nodes: options.isMemoized === true ? takeOver(nodes, document.metadata.name ?? '', options.name) : [],
  };
}

function newMetadata({ metadata }: WorkflowDocument, name: string): WorkflowDocument['metadata'] {
  const { namespace, labels = {}, annotations } = metadata;
  const kept = Object.entries(labels).filter(([key]) => !droppedLabels.has(key));
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(annotations !== undefined && { annotations }),
    labels: { ...Object.fromEntries(kept), 'workflows.argoproj.io/resubmitted-from-workflow': metadata.name ?? '' },
  };
}

/** Pods that succeeded, as nodes that are skipped but have outputs. Everything around them is created again. */
function takeOver(nodes: readonly NodeStatus[], oldName: string, newName: string): NodeStatus[] {
  const isAttempt = ({ nodeFlag }: NodeStatus): boolean => nodeFlag?.retried === true;
  const leaves = nodes.filter(node => (node.type === 'Pod' && !isAttempt(node)) || isRetryOfPods(node, nodes));
  const done = leaves.filter(node => !isFailed(node) && node.phase === 'Succeeded');
  return done
    .filter(({ name }) => !name.startsWith(`${oldName}.onExit`))
    .map(node => rename(node, oldName, newName, nodes));
}

const isRetryOfPods = ({ type, children = [] }: NodeStatus, nodes: readonly NodeStatus[]): boolean =>
  type === 'Retry' && nodes.some(({ id, type: childType }) => childType === 'Pod' && children.includes(id));

function rename(node: NodeStatus, oldName: string, newName: string, nodes: readonly NodeStatus[]): NodeStatus {
  const { children: _children, outboundNodes: _outbound, boundaryID, ...rest } = node;
  const renamed = (name: string): string => newName + name.slice(oldName.length);
  const name = renamed(node.name);
  const boundary = nodes.find(({ id }) => id === boundaryID)?.name;
  return {
    ...rest,
    id: nodeIdOf(newName, name),
    name,
    type: 'Skipped',
    phase: 'Skipped',
    message: `original pod: ${node.id}`,
    ...(boundary !== undefined && { boundaryID: nodeIdOf(newName, renamed(boundary)) }),
  };
}
