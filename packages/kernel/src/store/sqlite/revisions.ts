import type { DatabaseSync } from 'node:sqlite';
import type { KeptVersion, RevisionBounds } from '../store.ts';

/** Writes the kept versions. Runs inside its caller's transaction. */
export class Revisions {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  keep(versions: readonly KeptVersion[], maxPerObject: number): void {
    const copy = this.#database.prepare(copyVersion);
    const trim = this.#database.prepare(trimObject);
    for (const { revision, at, expiresAt } of versions) {
      if (copy.run(at, expiresAt, revision).changes > 0) trim.run(revision, maxPerObject);
    }
  }

  /** Returns how many were removed, at most `limit`. */
  trim({ nowMs, maxBytes }: RevisionBounds, limit: number): number {
    const expired = Number(this.#database.prepare(removeExpired).run(nowMs, limit).changes);
    if (expired === limit) return expired;
    const surplus = Number(this.#database.prepare(totalSize).get()?.bytes ?? 0) - maxBytes;
    if (surplus <= 0) return expired;
    return expired + Number(this.#database.prepare(removeSurplus).run(surplus, limit - expired).changes);
  }
}

const copyVersion = `
INSERT OR IGNORE INTO revisions
  (revision, object_id, collection_id, namespace, name, type, created_revision, previous_revision, terms, splice, value,
   checksum, at, expires_at, size)
SELECT revision, object_id, collection_id, namespace, name, type, created_revision, previous_revision, terms, splice, value,
   checksum, ?, ?, length(value)
FROM log WHERE revision = ?`;

/** Removes all but the last versions of the object that had the one given. */
const trimObject = `
DELETE FROM revisions WHERE revision IN (
  SELECT r.revision FROM revisions k JOIN revisions r
    ON r.collection_id = k.collection_id AND r.namespace = k.namespace AND r.name = k.name
  WHERE k.revision = ? ORDER BY r.revision DESC LIMIT -1 OFFSET ?)`;

const removeExpired = `
DELETE FROM revisions WHERE revision IN (SELECT revision FROM revisions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

const totalSize = 'SELECT total(size) AS bytes FROM revisions';

/**
 * Of the logical cluster that takes most room, and of its namespace that takes most, those that expire next, until as many
 * bytes are removed: who has a cluster makes as many namespaces as they like.
 */
const removeSurplus = `
WITH places AS (
  SELECT c.cluster, r.namespace, sum(r.size) AS size FROM revisions r JOIN collections c ON c.id = r.collection_id
  GROUP BY c.cluster, r.namespace),
largest AS (
  SELECT cluster, namespace FROM places
  WHERE cluster = (SELECT cluster FROM places GROUP BY cluster ORDER BY sum(size) DESC, cluster LIMIT 1)
  ORDER BY size DESC, namespace LIMIT 1)
DELETE FROM revisions WHERE revision IN (
  SELECT revision FROM (
    SELECT revision, sum(size) OVER (ORDER BY expires_at, revision) - size AS before FROM (
      SELECT r.revision, r.size, r.expires_at
      FROM largest JOIN collections c ON c.cluster = largest.cluster
        JOIN revisions r ON r.collection_id = c.id AND r.namespace = largest.namespace
      ORDER BY r.expires_at, r.revision LIMIT 10000))
  WHERE before < ? LIMIT ?)`;
