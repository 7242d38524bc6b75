import { formatElapsed } from '@chandlery/api';
import type { NodeStatus } from '@chandlery/workflow';
import { oneLine } from '../output/report-error.ts';
import { symbolOf } from './draw-nodes.ts';
import { nodesOf, type WorkflowObject } from './workflow-objects.ts';

/** Groups have no lines of their own. */
const silentTypes: ReadonlySet<string> = new Set(['StepGroup', 'TaskGroup']);

/** A line for each node whose phase or message differs between two states of a workflow, in the order of their start. */
export function nodeChanges(before: WorkflowObject | undefined, after: WorkflowObject, now: Date): readonly string[] {
  const known = before?.status?.nodes ?? {};
  return nodesOf(after)
    .filter(node => !silentTypes.has(node.type) && !isSame(known[node.id], node))
    .toSorted((one, other) => Date.parse(changedAt(one)) - Date.parse(changedAt(other)))
    .map(node => lineOf(node, now));
}

const isSame = (known: NodeStatus | undefined, { phase, message }: NodeStatus): boolean =>
  known?.phase === phase && known.message === message;

const changedAt = ({ finishedAt, startedAt }: NodeStatus): string => finishedAt ?? startedAt;

function lineOf(node: NodeStatus, now: Date): string {
  const duration = node.finishedAt === undefined ? '' : ` (${formatElapsed(node, now)})`;
  const message = oneLine(node.message ?? '');
  return `${symbolOf(node)} ${node.name}: ${node.phase}${duration}${message === '' ? '' : `: ${message}`}`;
}
