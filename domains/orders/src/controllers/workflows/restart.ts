import type { WorkflowRecord } from '../../kinds/workflows/index.ts';
import { restartedStatus } from '../../model/workflows/node-edits.ts';
import { removalsOf, type StoredNode, writesOfNodes } from '../../registry/workflows/node-store.ts';
import { updateRow, type WorkflowRegistry, type WorkflowWrite } from '../../registry/workflows/workflow-registry.ts';
import { identityOf } from './open-workflow.ts';

/** The writes that let a completed workflow run again as a client's edits say. */
export function restartWrites(registry: WorkflowRegistry, record: WorkflowRecord): WorkflowWrite[] {
  const owner = identityOf(record);
  const { nodes = {}, removed = [] } = record.edits ?? {};
  const row = registry.executions.get(owner.uid);
  const changed = Object.values(nodes).map(node => node as unknown as StoredNode);
  const { shutdown: _, ...status } = restartedStatus(row?.spec.status ?? {});
  return [
    ...removalsOf(registry, owner.uid, new Set(removed)),
    ...writesOfNodes(
      registry,
      owner,
      changed.map(node => ({ node, addedChildren: node.children?.length ?? 0 })),
    ),
    ...(row === undefined ? [] : [updateRow({ table: 'executions', row, spec: { ...row.spec, status } })]),
  ];
}
