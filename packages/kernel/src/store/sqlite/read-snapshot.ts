import { type SnapshotRow, toSnapshotObject } from '../rows.ts';
import type { Snapshot, SnapshotObject } from '../store.ts';
import * as statements from './read-statements.ts';
import type { ReaderPool } from './reader-pool.ts';

const batchSize = 500;

/** Lists are JSON here. */
type PackedRow = Omit<SnapshotRow, 'terms' | 'unique_keys'> & {
  readonly terms: string;
  readonly unique_keys: string | null;
};

/** Everything, as the lent reader sees it. The reader goes back when the last object has been read. */
export function readSnapshot(lent: ReturnType<ReaderPool['borrow']>): Snapshot {
  return { revision: lent.reader.window().revision, objects: snapshotBatches(lent) };
}

async function* snapshotBatches(lent: ReturnType<ReaderPool['borrow']>): AsyncGenerator<readonly SnapshotObject[]> {
  using held = lent;
  const { reader } = held;
  for (const { id } of reader.all<{ id: number }>(statements.allCollections)) {
    let batch: SnapshotObject[] = [];
    for (const row of reader.iterate<PackedRow>(statements.snapshotObjects, { collection: id })) {
      batch.push(toSnapshotObject(unpack(row)));
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
}

const unpack = (row: PackedRow): SnapshotRow => ({
  ...row,
  terms: JSON.parse(row.terms) as number[],
  unique_keys: JSON.parse(row.unique_keys ?? '[]') as string[],
});
