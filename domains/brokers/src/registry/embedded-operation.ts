import type { AnyRow, Changes, MemoryTable } from '@chandlery/registry';
import type { OperationRow, RowChange } from '../model/rows.ts';

/** Where operations can be embedded, and what operations call what is there. */
const embeddingTables = { instances: '/v1/service_instances', bindings: '/v1/service_bindings' } as const;

/** A table whose rows may say themselves how they came to be. */
export type EmbeddingTable = keyof typeof embeddingTables;

/** Whether the rows of a table may do so. */
export const isEmbedding = (table: string): table is EmbeddingTable => table in embeddingTables;

/** The table that holds what an embedded operation has made. */
export const embeddingTableOf = ({ spec }: OperationRow): EmbeddingTable =>
  spec.resourceType === embeddingTables.instances ? 'instances' : 'bindings';

type Creation = Pick<OperationRow['spec'], 'platformId' | 'correlationId'> & { readonly id: string };

const creationOf = (row: AnyRow | undefined): Creation | undefined => row?.status['creation'] as Creation | undefined;

/**
 * Shows in the table of operations those that the rows of another table embed. A creation that was over with the broker's
 * first answer is part of the row that it made: one object less for each of the most frequent requests, and for its readers an
 * operation like any other.
 */
export function showEmbedded(
  operations: MemoryTable<AnyRow>,
  table: EmbeddingTable,
  { type, row, previous }: RowChange<AnyRow>,
): (() => void) | undefined {
  const now = type === 'removed' ? undefined : creationOf(row);
  const before = creationOf(previous);
  if (now?.id === before?.id) return undefined;
  const changes = [
    ...(before === undefined ? [] : hide(operations, before.id, row.id)),
    ...(now === undefined ? [] : show(operations, operationRow(embeddingTables[table], row, now))),
  ];
  return () => operations.notify(changes);
}

/** A status is unchecked user input and may name any id: an existing operation stays. */
const show = (operations: MemoryTable<AnyRow>, row: AnyRow): Changes<AnyRow> =>
  operations.get(row.id) === undefined ? operations.putAfter(undefined, row) : [];

/** For the same reason only what the row itself has shown is taken away. */
function hide(operations: MemoryTable<AnyRow>, id: string, resourceId: string): Changes<AnyRow> {
  const shown = operations.get(id);
  return shown?.uid === '' && shown.spec['resourceId'] === resourceId ? operations.remove(id) : [];
}

const succeeded = Object.freeze({ ready: true, state: 'succeeded' });

function operationRow(resourceType: string, row: AnyRow, { id, platformId, correlationId }: Creation): AnyRow {
  const { tenant, createdAt } = row;
  return Object.freeze({
    id,
    tenant,
    uid: '',
    // The same in every replica, whichever state of the row it has seen first; and without an identity: the landscape itself was first.
    revision: 1,
    generation: 1,
    createdAt,
    updatedAt: createdAt,
    isDeleting: false,
    hasFinalizer: false,
    spec: Object.freeze({
      type: 'create',
      resourceType,
      resourceId: row.id,
      platformId,
      ...(correlationId === undefined ? {} : { correlationId }),
    }),
    status: succeeded,
  });
}
