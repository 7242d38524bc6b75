import { type RevisionRow, revisionsPage } from '../revisions-page.ts';
import type { KeptVersion, RevisionBounds, RevisionStore, RevisionsPage, RevisionsQuery } from '../store.ts';
import { type Removable, type Room, Surplus } from '../surplus.ts';
import type { Connection, Database } from './database.ts';
import * as statements from './read-statements.ts';

/** The kept versions in their table. */
export class PostgresRevisions implements RevisionStore {
  readonly #database: Database;
  /** What the batches of a sweep have in common. Versions that were kept meanwhile count in the next one. */
  #surplus: Surplus | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async keep(versions: readonly KeptVersion[], maxPerObject: number): Promise<void> {
    if (versions.length === 0) return;
    await using connection = await this.#database.connect('write');
    await connection.run('BEGIN');
    const kept = await connection.run<{ revision: number }>(copyVersions, [
      versions.map(({ revision }) => revision),
      versions.map(({ at }) => at),
      versions.map(({ expiresAt }) => expiresAt),
    ]);
    await connection.run(trimObjects, [kept.map(({ revision }) => revision), maxPerObject]);
    await connection.run('COMMIT');
  }

  async page(query: RevisionsQuery): Promise<RevisionsPage> {
    const { key, upTo = Number.MAX_SAFE_INTEGER, atMs = Number.MAX_SAFE_INTEGER } = query;
    const { limit, maxBytes = Number.MAX_SAFE_INTEGER } = query;
    const values = [key.resource, key.cluster, key.namespace, key.name, upTo, atMs, limit + 1, maxBytes];
    return revisionsPage(await this.#database.read<RevisionRow>(statements.revisions, values), query);
  }

  async trim(bounds: RevisionBounds, limit: number): Promise<number> {
    await using connection = await this.#database.connect('write');
    const expired = await connection.run(removeExpired, [bounds.nowMs, limit]);
    if (expired.length === limit) return limit;
    return expired.length + (await this.#trimSurplus(connection, bounds, limit - expired.length));
  }

  async #trimSurplus(connection: Connection, bounds: RevisionBounds, limit: number): Promise<number> {
    if (this.#surplus?.isFor(bounds) !== true) {
      const [row] = await connection.run<{ bytes: number }>(totalSize);
      if ((row?.bytes ?? 0) <= bounds.maxBytes) return 0;
      this.#surplus = new Surplus(bounds, await connection.run<Room>(rooms));
    }
    let removed = 0;
    for (let room = this.#surplus.largest; room !== undefined && removed < limit; room = this.#surplus.largest) {
      const values = [room.cluster, room.namespace, limit - removed];
      const candidates = await connection.run<Removable>(expiringNext, values);
      const chosen = this.#surplus.choose(room, candidates, limit - removed);
      await connection.run(removeVersions, [chosen]);
      removed += chosen.length;
    }
    if (removed < limit) this.#surplus = undefined;
    return removed;
  }
}

const copied = `revision, object_id, collection_id, namespace, name, type, created_revision, previous_revision, terms, splice, value,
  checksum`;

const copyVersions = `
INSERT INTO revisions (${copied}, at, expires_at, size)
SELECT ${copied}, v.at, v.expires_at, length(value)
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v (wanted, at, expires_at) JOIN log l ON l.revision = v.wanted
ON CONFLICT DO NOTHING RETURNING revision`;

/** Removes all but the last versions of the objects that had those given. */
const trimObjects = `
DELETE FROM revisions WHERE revision = ANY (ARRAY(
  SELECT old.revision
  FROM (SELECT DISTINCT collection_id, namespace, name FROM revisions WHERE revision = ANY ($1::bigint[])) k
  CROSS JOIN LATERAL (
    SELECT r.revision FROM revisions r
    WHERE r.collection_id = k.collection_id AND r.namespace = k.namespace AND r.name = k.name
    ORDER BY r.revision DESC OFFSET $2) old))`;

const removeExpired = `
DELETE FROM revisions WHERE revision = ANY (ARRAY(
  SELECT revision FROM revisions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)) RETURNING revision`;

const totalSize = 'SELECT coalesce(sum(size), 0)::bigint AS bytes FROM revisions';

const rooms = `
SELECT c.cluster, r.namespace, sum(r.size)::bigint AS bytes FROM revisions r JOIN collections c ON c.id = r.collection_id
GROUP BY c.cluster, r.namespace`;

/** The versions of a room that expire next, so many of each collection. */
const expiringNext = `
SELECT r.revision, r.size, r.expires_at FROM collections c CROSS JOIN LATERAL (
  SELECT revision, size, expires_at FROM revisions
  WHERE collection_id = c.id AND namespace = $2 ORDER BY expires_at, revision LIMIT $3) r
WHERE c.cluster = $1`;

const removeVersions = 'DELETE FROM revisions WHERE revision = ANY ($1::bigint[])';
