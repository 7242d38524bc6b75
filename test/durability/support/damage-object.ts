import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Flips a bit of a stored object in the file of a landscape that is stopped. */
export function damageObject(
  dataDir: string,
  { cluster, resource, name }: Record<'cluster' | 'resource' | 'name', string>,
): void {
  using database = new DatabaseSync(join(dataDir, 'store.sqlite'));
  const row = database
    .prepare(
      `SELECT log.revision, log.value FROM objects
         JOIN collections ON collections.id = objects.collection_id
         JOIN log ON log.revision = objects.revision
        WHERE collections.cluster = ? AND collections.resource = ? AND objects.name = ?`,
    )
    .get(cluster, resource, name) as { revision: number; value: Uint8Array } | undefined;
  assert.ok(row, `there is no ${resource} "${name}" in ${cluster}`);
  const value = Buffer.from(row.value);
  value[20] = (value[20] ?? 0) ^ 0x80;
  database.prepare('UPDATE log SET value = ? WHERE revision = ?').run(value, row.revision);
}
