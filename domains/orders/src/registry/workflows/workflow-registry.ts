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
import {
  workflowArtifacts,
  workflowChildPages,
  workflowExecutions,
  workflowNodes,
  workflowsGroup,
} from '../../kinds/workflows/index.ts';

const tables = {
  /** By the uid of the Workflow. */
  executions: defineTable({ kind: workflowExecutions, indexes: {} }),
  nodes: defineTable({ kind: workflowNodes, indexes: { workflow: ({ spec }) => spec.workflow } }),
  pages: defineTable({ kind: workflowChildPages, indexes: { workflow: ({ spec }) => spec.workflow } }),
  artifacts: defineTable({
    kind: workflowArtifacts,
    indexes: { workflow: ({ spec }) => spec.workflow, digest: ({ spec }) => spec.digest },
  }),
};

type Rows = RowsOf<typeof tables>;

export type NodeRow = Rows['nodes'];
export type WorkflowArtifactRow = Rows['artifacts'];
export type WorkflowWrite = RegistryWrite<Rows>;

export const { createRow, updateRow, removeRow } = rowWriters<Rows>();

/** Executions and their nodes, in memory and durable. */
export type WorkflowRegistry = Registry<typeof tables>;

/** The artifacts of all workflows. */
export type WorkflowArtifacts = WorkflowRegistry['artifacts'];

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
