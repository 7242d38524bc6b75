import { type RevisionRow, revisionsPage } from '../revisions-page.ts';
import type { KeptVersion, RevisionBounds, RevisionStore, RevisionsPage, RevisionsQuery } from '../store.ts';
import type { Database } from './database.ts';
import * as statements from './read-statements.ts';

/** The kept versions in their table. */
export class PostgresRevisions implements RevisionStore {
  readonly #database: Database;

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

  async trim({ nowMs, maxBytes }: RevisionBounds, limit: number): Promise<number> {
    await using connection = await this.#database.connect('write');
    const expired = await connection.run(removeExpired, [nowMs, limit]);
    if (expired.length === limit) return limit;
    const [row] = await connection.run<{ bytes: number | string }>(totalSize);
    const surplus = Number(row?.bytes ?? 0) - maxBytes;
    if (surplus <= 0) return expired.length;
    return expired.length + (await connection.run(removeSurplus, [surplus, limit - expired.length])).length;
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
DELETE FROM revisions WHERE revision = ANY (ARRAY(
  SELECT revision FROM (
    SELECT revision, sum(size) OVER (ORDER BY expires_at, revision) - size AS before FROM (
      SELECT r.revision, r.size, r.expires_at
      FROM largest JOIN collections c ON c.cluster = largest.cluster
        JOIN revisions r ON r.collection_id = c.id AND r.namespace = largest.namespace
      ORDER BY r.expires_at, r.revision LIMIT 10000) next) s
  WHERE before < $1 ORDER BY revision LIMIT $2)) RETURNING revision`;
