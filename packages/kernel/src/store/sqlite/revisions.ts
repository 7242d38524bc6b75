import type { DatabaseSync } from 'node:sqlite';
import type { KeptVersion, RevisionBounds } from '../store.ts';
import { type Removable, type Room, Surplus } from '../surplus.ts';

/** Writes the kept versions. Runs inside its caller's transaction. */
export class Revisions {
  readonly #database: DatabaseSync;
  /** What the batches of a sweep have in common. Versions that were kept meanwhile count in the next one. */
  #surplus: Surplus | undefined;

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
  trim(bounds: RevisionBounds, limit: number): number {
    const expired = Number(this.#database.prepare(removeExpired).run(bounds.nowMs, limit).changes);
    return expired === limit ? expired : expired + this.#trimSurplus(bounds, limit - expired);
  }

  #trimSurplus(bounds: RevisionBounds, limit: number): number {
    if (this.#surplus?.isFor(bounds) !== true) {
      if (Number(this.#database.prepare(totalSize).get()?.['bytes'] ?? 0) <= bounds.maxBytes) return 0;
      this.#surplus = new Surplus(bounds, this.#database.prepare(rooms).all() as unknown as Room[]);
    }
    let removed = 0;
    for (let room = this.#surplus.largest; room !== undefined && removed < limit; room = this.#surplus.largest) {
      const chosen = this.#surplus.choose(room, this.#expiringNext(room, limit - removed), limit - removed);
      this.#database.prepare(removeVersions).run(JSON.stringify(chosen));
      removed += chosen.length;
    }
    if (removed < limit) this.#surplus = undefined;
    return removed;
  }

  /** The versions of a room that expire next, so many of each collection. */
  #expiringNext({ cluster, namespace }: Room, limit: number): readonly Removable[] {
    const next = this.#database.prepare(expiringNext);
    const collections = this.#database.prepare('SELECT id FROM collections WHERE cluster = ?').all(cluster);
    return collections.flatMap(({ id }) => next.all(id as number, namespace, limit) as unknown as Removable[]);
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

const rooms = `
SELECT c.cluster, r.namespace, total(r.size) AS bytes FROM revisions r JOIN collections c ON c.id = r.collection_id
GROUP BY c.cluster, r.namespace`;

const expiringNext = `
SELECT revision, size, expires_at FROM revisions INDEXED BY revisions_room
WHERE collection_id = ? AND namespace = ? ORDER BY expires_at LIMIT ?`;

const removeVersions = 'DELETE FROM revisions WHERE revision IN (SELECT value FROM json_each(?))';
