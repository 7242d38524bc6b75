import type { Statement } from './database.ts';

const named = (name: string, text: string): Statement => ({ name, text });

const number = (name: string): string => `(SELECT value FROM meta WHERE name = '${name}')`;

/** The revisions that the database can answer for. */
export const window = named('window', `SELECT ${number('revision')} AS revision, ${number('compacted')} AS compacted`);

/**
 * What a version's checksum covers besides its key and its first two revisions. The terms of a deletion are those of the
 * version before it, which only the server knows: they are not covered.
 */
export const contentOf = (table: string): string =>
  `${table}.previous_revision, ${table}.type, ${table}.object_id,
   CASE ${table}.type WHEN 2 THEN '' ELSE ${table}.terms::text END AS log_terms,
   ${table}.splice, ${table}.value, ${table}.checksum`;

/** Many keys at once; `no` counts from 1. LIMIT keeps the planner from turning the lookups around. */
export const getObjects = named(
  'get',
  `SELECT k.no, o.revision, o.created_revision, ${contentOf('l')}
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS k (resource, cluster, namespace, name, no)
   CROSS JOIN LATERAL (
     SELECT id FROM collections WHERE resource = k.resource AND cluster = k.cluster LIMIT 1) c
   CROSS JOIN LATERAL (
     SELECT revision, created_revision FROM objects
     WHERE collection_id = c.id AND namespace = k.namespace AND name = k.name LIMIT 1) o
   LEFT JOIN log l ON l.revision = o.revision`,
);

const columnsWithKeyOf = (table: string): string =>
  `${table}.revision, ${table}.created_revision, ${table}.namespace, ${table}.name, c.cluster, c.resource, ${contentOf('l')}`;

const versionColumns = columnsWithKeyOf('l');

export const version = named(
  'version',
  `SELECT ${versionColumns} FROM log l LEFT JOIN collections c ON c.id = l.collection_id WHERE l.revision = $1`,
);

export const collectionsOfResource = named(
  'collections of resource',
  'SELECT id, cluster FROM collections WHERE resource = $1 AND cluster >= $2 ORDER BY cluster',
);

export const collection = named(
  'collection',
  'SELECT id, cluster FROM collections WHERE resource = $1 AND cluster = $2',
);

export const nonEmptyCollections = named(
  'collections',
  `SELECT c.cluster, c.resource FROM collections c
   WHERE ($1::text IS NULL OR c.cluster = $1)
     AND (SELECT true FROM objects o WHERE o.collection_id = c.id LIMIT 1)
   ORDER BY c.cluster, c.resource`,
);

const fullObjects = `
SELECT ${columnsWithKeyOf('o')}
FROM objects o LEFT JOIN log l ON l.revision = o.revision LEFT JOIN collections c ON c.id = o.collection_id`;

/** A page of objects, which ends with the one that reaches the size. */
export const withTerm = named(
  'with term',
  `SELECT * FROM (
     SELECT ${columnsWithKeyOf('o')}, sum(octet_length(l.value)) OVER (ORDER BY o.id) - octet_length(l.value) AS bytes_before
     FROM objects o LEFT JOIN log l ON l.revision = o.revision LEFT JOIN collections c ON c.id = o.collection_id
     WHERE o.id = ANY (ARRAY(SELECT object_id FROM terms WHERE term = $1 AND object_id > $2 ORDER BY object_id LIMIT $3))) page
   WHERE coalesce(bytes_before, 0) < $4 ORDER BY object_id`,
);

export const keysWithTerm = named(
  'keys with term',
  `SELECT c.cluster, c.resource, o.namespace, o.name FROM objects o JOIN collections c ON c.id = o.collection_id
   WHERE o.id = ANY (ARRAY(SELECT object_id FROM terms WHERE term = $1 LIMIT $2))`,
);

export const expired = named('expired', `${fullObjects} WHERE o.expires_at <= $1 ORDER BY o.expires_at LIMIT $2`);

/** Always answers at least one row, for the window belongs to the same state of the database as the changes. */
const changes = (name: string, page: string): Statement =>
  named(
    name,
    `SELECT w.current, w.compacted, ${versionColumns}
     FROM (SELECT ${number('revision')} AS current, ${number('compacted')} AS compacted) w
     LEFT JOIN LATERAL (${page} LIMIT $2) page ON true
     LEFT JOIN log l ON l.revision = page.revision
     LEFT JOIN collections c ON c.id = l.collection_id
     ORDER BY l.revision`,
  );

export const changesOfEverything = changes('changes', 'SELECT revision FROM log WHERE revision > $1 ORDER BY revision');

const revisionsOf = (collectionId: string): string =>
  `SELECT revision FROM log WHERE collection_id = ${collectionId} AND revision > $1 ORDER BY revision`;

export const changesOfCollection = changes(
  'changes of collection',
  `SELECT x.revision FROM (SELECT id FROM collections WHERE resource = $3 AND cluster = $4) cs
   CROSS JOIN LATERAL (${revisionsOf('cs.id')} LIMIT $2) x`,
);

export const changesOfResource = changes(
  'changes of resource',
  `SELECT x.revision FROM collections cs CROSS JOIN LATERAL (${revisionsOf('cs.id')} LIMIT $2) x
   WHERE cs.resource = $3 ORDER BY x.revision`,
);

/** Collections one after the other: sorting everything would mean holding everything. */
export const snapshotCursor = `
DECLARE snapshot NO SCROLL CURSOR FOR
SELECT o.*, c.cluster, c.resource
FROM (SELECT id, cluster, resource FROM collections ORDER BY cluster, resource) c
CROSS JOIN LATERAL (
  SELECT o.revision, o.created_revision, o.namespace, o.name, ${contentOf('l')}, o.terms, o.unique_keys, o.expires_at
  FROM objects o LEFT JOIN log l ON l.revision = o.revision
  WHERE o.collection_id = c.id ORDER BY o.namespace, o.name) o`;

export const termCount = named(
  'term count',
  'SELECT count(*) AS count FROM (SELECT 1 FROM terms WHERE term = ANY ($1::bigint[]) LIMIT $2) t',
);

export const uncheckedVersions = named(
  'unchecked versions',
  `SELECT ${versionColumns} FROM log l LEFT JOIN collections c ON c.id = l.collection_id
   WHERE l.checksum IS NULL ORDER BY l.revision LIMIT $1`,
);

const objectColumns = `o.id, o.revision, o.created_revision, o.namespace, o.name, o.expires_at, o.terms::text AS terms_text,
  o.unique_keys, o.checksum, c.cluster, c.resource`;

export const uncheckedObjects = named(
  'unchecked objects',
  `SELECT ${objectColumns} FROM objects o LEFT JOIN collections c ON c.id = o.collection_id
   WHERE o.checksum IS NULL ORDER BY o.id LIMIT $1`,
);

/** Pages of all versions and of all objects, for verification. */
export const versionsAfter = named(
  'versions after',
  `SELECT ${versionColumns} FROM log l LEFT JOIN collections c ON c.id = l.collection_id
   WHERE l.revision > $1 ORDER BY l.revision LIMIT $2`,
);

export const objectsAfter = named(
  'objects after',
  `SELECT ${objectColumns}, (l.object_id = o.id AND l.collection_id = o.collection_id AND l.namespace = o.namespace
     AND l.name = o.name AND l.terms = o.terms AND l.type <> 2) IS TRUE AS agrees
   FROM objects o LEFT JOIN collections c ON c.id = o.collection_id LEFT JOIN log l ON l.revision = o.revision
   WHERE o.id > $1 ORDER BY o.id LIMIT $2`,
);

/** Kept versions of the objects that had a key, newest first: those before the last one have less than so many bytes. */
export const revisions = named(
  'revisions',
  `SELECT ${versionColumns}, l.at
   FROM (
     SELECT revision, coalesce(sum(size) OVER (ORDER BY revision DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0) AS bytes
     FROM revisions
     WHERE collection_id = (SELECT id FROM collections WHERE resource = $1 AND cluster = $2)
       AND namespace = $3 AND name = $4 AND revision <= $5 AND at <= $6
     ORDER BY revision DESC LIMIT $7) page
   CROSS JOIN LATERAL (SELECT * FROM revisions WHERE revision = page.revision) l
   LEFT JOIN collections c ON c.id = l.collection_id
   WHERE page.bytes < $8 ORDER BY l.revision DESC`,
);

/** A page of all kept versions, for verification. */
export const revisionsAfter = named(
  'revisions after',
  `SELECT ${versionColumns} FROM revisions l LEFT JOIN collections c ON c.id = l.collection_id
   WHERE l.revision > $1 ORDER BY l.revision LIMIT $2`,
);
