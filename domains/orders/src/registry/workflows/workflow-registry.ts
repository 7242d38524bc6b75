import { createHash } from 'node:crypto';
import type { AtomicClient } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import {
  createRegistry,
  defineTable,
  type Registry,
  type RegistryWrite,
  type RowsOf,
  rowWriters,
} from '@chandlery/registry';
import { workflowExecutions, workflowNodes, workflowsGroup } from '../../kinds/workflows/index.ts';
import type { KnownStatus, StatusSource } from '../../model/workflows/join-workflow.ts';

const tables = {
  /** By the uid of the Workflow. */
  executions: defineTable({ kind: workflowExecutions, indexes: {} }),
  nodes: defineTable({ kind: workflowNodes, indexes: { workflow: ({ spec }) => spec.workflow } }),
};

type Rows = RowsOf<typeof tables>;

export type ExecutionRow = Rows['executions'];
export type NodeRow = Rows['nodes'];
export type WorkflowWrite = RegistryWrite<Rows>;

export const { createRow, updateRow, removeRow } = rowWriters<Rows>();

/** Executions and their nodes, in memory and durable. */
export type WorkflowRegistry = Registry<typeof tables>;

export interface WorkflowRegistryOptions {
  /** Of the platform cluster. Not disposed of by the registry. */
  readonly client: AtomicClient;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Called when a stored object is damaged, so that a table cannot be filled. Default: nothing is called. */
  readonly onDamage?: () => void;
}

/** Opens the registry, which begins to fill its tables at once. The caller disposes of it. */
export const createWorkflowRegistry = (options: WorkflowRegistryOptions): WorkflowRegistry =>
  createRegistry({
    ...options,
    tables,
    finalizer: `${workflowsGroup}/resources`,
    managedLabel: `${workflowsGroup}/managed`,
    owner: 'the workflow controller',
    sharedFields: ['workflow', 'type', 'phase', 'templateName', 'templateScope', 'boundaryID', 'hostNodeName'],
  });

const hashLength = 24;

/** The id of a node's row. Node names are too long for object names, and Argo's ids are not unique. */
export const nodeRowId = (workflowUid: string, nodeName: string): string =>
  `${workflowUid}.${createHash('sha256').update(nodeName).digest('hex').slice(0, hashLength)}`;

/** The status of executions as the registry has it. */
export const statusSourceOf = (registry: WorkflowRegistry): StatusSource => ({
  statusOf(uid): KnownStatus | undefined {
    const row = registry.executions.get(uid);
    if (row === undefined) return undefined;
    const nodes: Record<string, Readonly<Record<string, unknown>>> = {};
    for (const { spec } of registry.nodes.by('workflow', uid)) nodes[String(spec.node['id'])] = spec.node;
    return { status: row.spec.status, nodes };
  },
});
