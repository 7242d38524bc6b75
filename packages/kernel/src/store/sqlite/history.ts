import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { assertReadable } from '../store-errors.ts';
import { type MetaRow, metaChecksumSql, verifyMeta } from './meta-row.ts';
import type { UniqueClaims } from './unique-claims.ts';

interface PurgedRow {
  readonly id: number;
  readonly revision: number;
  readonly terms: string;
  readonly unique_keys: string | null;
}

/** Removes history that can no longer be requested, a bounded piece for each call. Runs inside its caller's transaction. */
export class History {
  readonly #database: DatabaseSync;
  readonly #claims: UniqueClaims;

  constructor(database: DatabaseSync, claims: UniqueClaims) {
    this.#database = database;
    this.#claims = claims;
  }

  /** Declares history up to `revision` forgotten; `sweep` then removes it. */
  compact(revision: number): void {
    const meta = this.#meta();
    assertReadable(Math.max(revision, meta.compacted), meta);
    this.#run('UPDATE meta SET compacted = ? WHERE compacted < ?', revision, revision);
    this.#sealMeta();
  }

  /**
   * Removes what the next `limit` forgotten revisions superseded, and the deletions among them. Those revisions name
   * their predecessors, so nothing else is looked at. Returns whether there is more to do.
   */
  sweep(limit: number): boolean {
    const { compacted, swept } = this.#meta();
    const to = Math.min(compacted, swept + limit);
    if (to <= swept) return false;
    this.#run(
      `DELETE FROM log WHERE revision IN
        (SELECT previous_revision FROM log WHERE revision > ? AND revision <= ? AND previous_revision IS NOT NULL)`,
      swept,
      to,
    );
    this.#run('DELETE FROM log WHERE revision > ? AND revision <= ? AND type = 2', swept, to);
    this.#run('UPDATE meta SET swept = ?', to);
    this.#sealMeta();
    return to < compacted;
  }

  /** Removes up to `limit` objects of a logical cluster with all that is known of them; returns how many. */
  purge(cluster: string, limit: number): number {
    const rows = this.#database
      .prepare(
        `SELECT id, revision, terms, unique_keys FROM objects
         WHERE collection_id IN (SELECT id FROM collections WHERE cluster = ?) LIMIT ?`,
      )
      .all(cluster, limit);
    for (const { id, revision, terms, unique_keys } of rows as unknown as PurgedRow[]) {
      this.#run('DELETE FROM terms WHERE object_id = ? AND term IN (SELECT value FROM json_each(?))', id, terms);
      this.#claims.replace(id, unique_keys, null);
      this.#run(deleteVersions, revision);
      this.#run('DELETE FROM objects WHERE id = ?', id);
    }
    return rows.length;
  }

  /** Removes up to `limit` versions that are left of a logical cluster without objects, from each table; returns how many. */
  purgeHistory(cluster: string, limit: number): number {
    if (this.#hasObjects(cluster)) return 0;
    let removed = 0;
    for (const table of ['log', 'revisions'])
      removed += this.#run(
        `DELETE FROM ${table} WHERE revision IN (SELECT revision FROM ${table}
          WHERE collection_id IN (SELECT id FROM collections WHERE cluster = ?) LIMIT ?)`,
        cluster,
        limit,
      );
    if (removed === 0) this.#run('DELETE FROM collections WHERE cluster = ?', cluster);
    return removed;
  }

  /** A live object's value is a log row: it must not go before the object. */
  #hasObjects(cluster: string): boolean {
    const sql = 'SELECT 1 FROM objects WHERE collection_id IN (SELECT id FROM collections WHERE cluster = ?) LIMIT 1';
    return this.#database.prepare(sql).get(cluster) !== undefined;
  }

  /**
   * Accounts for revisions that were given out and are lost: none of them is given out again, and a client that has seen one
   * of them has to list again, as after a compaction.
   */
  skipTo(revision: number): void {
    this.#run('UPDATE meta SET revision = ?, compacted = ?', revision, revision);
    this.#sealMeta();
  }

  #meta(): MetaRow {
    const row = this.#database.prepare('SELECT revision, compacted, swept, checksum FROM meta').get();
    return verifyMeta(row as unknown as MetaRow);
  }

  #sealMeta(): void {
    this.#run(`UPDATE meta SET checksum = ${metaChecksumSql()}`);
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }
}

/** An object's versions, from the given one back through their predecessors. */
const deleteVersions = `
DELETE FROM log WHERE revision IN (
  WITH RECURSIVE versions (revision) AS (
    SELECT ?
    UNION ALL
    SELECT log.previous_revision FROM log JOIN versions ON log.revision = versions.revision
    WHERE log.previous_revision IS NOT NULL
  )
  SELECT revision FROM versions
)`;
