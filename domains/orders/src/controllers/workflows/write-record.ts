import { isError, type JsonValue } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type WorkflowRecord, workflowRecords } from '../../kinds/workflows/index.ts';
import { phaseLabels } from '../../model/workflows/join-workflow.ts';
import { textOf } from '../../model/workflows/text-of.ts';

/** Where a record is. */
export const recordRef = ({ metadata: { namespace = '', name = '' } }: Pick<WorkflowRecord, 'metadata'>) => ({
  ...workflowRecords,
  namespace,
  name,
});

/**
 * Writes the status of a workflow and its labels into its record, so that watches deliver it. The nodes are not part of
 * the record: a version that rises stands for them.
 */
export async function touchRecord(
  client: Client,
  record: WorkflowRecord,
  status: Readonly<Record<string, unknown>>,
): Promise<void> {
  const labels = phaseLabels(textOf(status['phase']));
  const body = {
    metadata: { uid: record.metadata.uid ?? '', labels },
    nodesVersion: Date.now(),
    status: replacing(record.status, status),
  };
  await ignoreGone(client.patch(recordRef(record), { type: 'merge', body }));
}

/** A merge patch that leaves nothing of an earlier status behind. */
function replacing(
  before: WorkflowRecord['status'],
  after: Readonly<Record<string, unknown>>,
): Record<string, JsonValue> {
  const removed = Object.keys(before ?? {}).filter(key => after[key] === undefined);
  return { ...(after as Record<string, JsonValue>), ...Object.fromEntries(removed.map(key => [key, null])) };
}

/** Removes edits that have been taken over, unless the client wrote others meanwhile. */
export async function clearEdits(client: Client, record: WorkflowRecord): Promise<void> {
  const { resourceVersion = '' } = record.metadata;
  await client.patch(recordRef(record), { type: 'merge', body: { metadata: { resourceVersion }, edits: null } });
}

/** A record that was deleted, or another one of the same name, needs nothing. */
async function ignoreGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isError(error, 'NotFound') && !isError(error, 'Conflict')) throw error;
  }
}
