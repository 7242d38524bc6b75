import type { WorkflowRecord } from '../../kinds/workflows/index.ts';
import { type StoredNode, writesOfNodes } from '../../registry/workflows/node-store.ts';
import type { WorkflowRegistry, WorkflowWrite } from '../../registry/workflows/workflow-registry.ts';
import { identityOf } from './open-workflow.ts';

/** How Argo's clients mark a node that succeeded in the workflow that is resubmitted. */
const takenOver = 'original pod: ';

/** The writes of nodes that a new workflow brings from an earlier one. Everything around them is created again. */
export function takeOverWrites(registry: WorkflowRegistry, record: WorkflowRecord): WorkflowWrite[] {
  const owner = identityOf(record);
  if (registry.executions.get(owner.uid) !== undefined) return [];
  const brought = Object.values(record.edits?.nodes ?? {}).filter(
    ({ type, phase, message }) => type === 'Skipped' && phase === 'Skipped' && String(message).startsWith(takenOver),
  );
  const nodes = brought.map(({ children: _, outboundNodes: __, ...node }) => node as unknown as StoredNode);
  return writesOfNodes(
    registry,
    owner,
    nodes.map(node => ({ node, addedChildren: 0 })),
  );
}
