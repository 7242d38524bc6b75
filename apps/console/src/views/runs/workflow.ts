import type { KubeObject } from '@chandlery/api';
import type { NodeStatus, WorkflowSpec, WorkflowStatus } from '@chandlery/workflow';

/** A Workflow with the status of its nodes. */
export interface WorkflowObject extends KubeObject {
  readonly spec: WorkflowSpec;
  readonly status?: Partial<WorkflowStatus> & { readonly nodes?: Readonly<Record<string, NodeStatus>> };
}

/** The label of Workflows that execute an order. */
export const orderLabel = 'orders.chandlery.io/order';

export const nodesOf = (workflow: WorkflowObject | undefined): readonly NodeStatus[] =>
  Object.values(workflow?.status?.nodes ?? {});

/** The phase; Pending before the controller has seen the Workflow. */
export const phaseOf = (workflow: WorkflowObject | undefined): string => workflow?.status?.phase || 'Pending';

const endPhases: readonly string[] = ['Succeeded', 'Failed', 'Error'];

export const hasEnded = (workflow: WorkflowObject | undefined): boolean => endPhases.includes(phaseOf(workflow));

/** A node that waits until it is resumed. */
export const isSuspended = ({ type, phase }: NodeStatus): boolean => type === 'Suspend' && phase === 'Running';

/** Which attempt of how many a node is; undefined for one that is not retried. */
export function attemptOf(nodes: readonly NodeStatus[], { id }: NodeStatus) {
  const retry = nodes.find(({ type, children = [] }) => type === 'Retry' && children.includes(id));
  const attempts = retry?.children ?? [];
  return attempts.length < 2 ? undefined : { number: attempts.indexOf(id) + 1, count: attempts.length };
}

/** The nodes, of which the first has what people call the run for a name: its own is that of the Workflow, maybe an id. */
export const withTitle = (nodes: readonly NodeStatus[], title: string): readonly NodeStatus[] =>
  nodes.map(node => (node.id === node.name ? { ...node, displayName: title } : node));
