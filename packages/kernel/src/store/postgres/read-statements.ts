import type { Statement } from './database.ts';

const named = (name: string, text: string): Statement => ({ name, text });

const number = (name: string): string => `(SELECT value FROM meta WHERE name = '${name}')`;

/** The revisions that the database can answer for. */
export const window = named('window', `SELECT ${number('revision')} AS revision, ${number('compacted')} AS compacted`);

/** Many keys at once; `no` counts from 1. LIMIT keeps the planner from turning the lookups around. */
export const getObjects = named(
  'get',
  `SELECT k.no, o.revision, o.created_revision, l.splice, l.value
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS k (resource, cluster, namespace, name, no)
   CROSS JOIN LATERAL (
     SELECT id FROM collections WHERE resource = k.resource AND cluster = k.cluster LIMIT 1) c
   CROSS JOIN LATERAL (
     SELECT revision, created_revision FROM objects
     WHERE collection_id = c.id AND namespace = k.namespace AND name = k.name LIMIT 1) o
   JOIN log l ON l.revision = o.revision`,
);

const versionColumns = 'l.revision, l.created_revision, l.namespace, l.name, l.splice, l.value, c.cluster, c.resource';

export const version = named(
  'version',
  `SELECT ${versionColumns} FROM log l JOIN collections c ON c.id = l.collection_id WHERE l.revision = $1`,
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
SELECT ${versionColumns}
FROM objects o JOIN log l ON l.revision = o.revision JOIN collections c ON c.id = o.collection_id`;

export const withTerm = named(
  'with term',
  `${fullObjects} WHERE o.id = ANY (ARRAY(SELECT object_id FROM terms WHERE term = $1 LIMIT $2))`,
);

export const expired = named('expired', `${fullObjects} WHERE o.expires_at <= $1 ORDER BY o.expires_at LIMIT $2`);

/** Always answers at least one row, for the window belongs to the same state of the database as the changes. */
const changes = (name: string, page: string): Statement =>
  named(
    name,
    `SELECT w.current, w.compacted, ${versionColumns}, l.type, l.previous_revision
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
  SELECT l.revision, l.created_revision, l.namespace, l.name, l.splice, l.value, o.terms, o.unique_keys, o.expires_at
  FROM objects o JOIN log l ON l.revision = o.revision
  WHERE o.collection_id = c.id ORDER BY o.namespace, o.name) o`;

export const termCount = named(
  'term count',
  'SELECT count(*) AS count FROM (SELECT 1 FROM terms WHERE term = ANY ($1::bigint[]) LIMIT $2) t',
);
