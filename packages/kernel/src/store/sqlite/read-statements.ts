/** The revisions that the database can answer for. */
export const window = 'SELECT revision, compacted, swept, checksum FROM meta';

/** What a version's checksum covers besides its key and its first two revisions. */
const contentOf = (table: string): string =>
  `${table}.previous_revision, ${table}.type, ${table}.object_id, ${table}.terms AS log_terms, ${table}.splice,
  ${table}.value, ${table}.checksum`;

/** An object whose version is missing still has a row, so that it is not taken for absent. */
export const getObject = `
SELECT o.revision, o.created_revision, ${contentOf('l')}
FROM objects o LEFT JOIN log l ON l.revision = o.revision
WHERE o.collection_id = (SELECT id FROM collections WHERE resource = ? AND cluster = ?)
  AND o.namespace = ? AND o.name = ?`;

/** Values of versions, in no particular order. */
export const values = `
SELECT l.revision, ${contentOf('l')}
FROM json_each(?) wanted CROSS JOIN log l ON l.revision = wanted.value`;

export const collectionsOfResource =
  'SELECT id, cluster FROM collections WHERE resource = ? AND cluster >= ? ORDER BY cluster';

export const collection = 'SELECT id, cluster FROM collections WHERE resource = ? AND cluster = ?';

export const nonEmptyCollections = `
SELECT cluster, resource FROM collections c
WHERE EXISTS (SELECT 1 FROM objects WHERE collection_id = c.id)
ORDER BY cluster, resource`;

export const nonEmptyCollectionsOfCluster = nonEmptyCollections.replace('WHERE', 'WHERE cluster = ? AND');

const columnsWithKeyOf = (table: string): string =>
  `${table}.revision, ${table}.created_revision, ${table}.namespace, ${table}.name, c.cluster, c.resource, ${contentOf('l')}`;

const versionColumns = columnsWithKeyOf('l');

/** Objects, and where to find their value and collection. */
const fullObjects = `
SELECT ${columnsWithKeyOf('o')}
FROM objects o LEFT JOIN log l ON l.revision = o.revision LEFT JOIN collections c ON c.id = o.collection_id`;

export const version = `
SELECT ${versionColumns} FROM log l LEFT JOIN collections c ON c.id = l.collection_id WHERE l.revision = ?`;

export const withTerm = `${fullObjects}
WHERE o.id IN (SELECT object_id FROM terms WHERE term = :term AND object_id > :after ORDER BY object_id LIMIT :limit)
ORDER BY o.id`;

export const keysWithTerm = `
SELECT c.cluster, c.resource, o.namespace, o.name FROM objects o JOIN collections c ON c.id = o.collection_id
WHERE o.id IN (SELECT object_id FROM terms WHERE term = ? LIMIT ?)`;

export const expired = `${fullObjects} WHERE o.expires_at <= ? ORDER BY o.expires_at LIMIT ?`;

export const changesOfEverything = `
SELECT ${versionColumns} FROM log l LEFT JOIN collections c ON c.id = l.collection_id
WHERE l.revision > ? ORDER BY l.revision LIMIT ?`;

export const changesOfCollection = `
SELECT ${versionColumns} FROM log l INDEXED BY log_collection LEFT JOIN collections c ON c.id = l.collection_id
WHERE l.collection_id = (SELECT id FROM collections WHERE resource = ? AND cluster = ?) AND l.revision > ?
ORDER BY l.revision LIMIT ?`;

/** The index alone finds the revisions of the page; only these rows are then read. */
export const changesOfResource = `
SELECT ${versionColumns}
FROM (SELECT revision FROM log INDEXED BY log_collection
      WHERE collection_id IN (SELECT id FROM collections WHERE resource = ?) AND revision > ?
      ORDER BY revision LIMIT ?) page
CROSS JOIN log l ON l.revision = page.revision
LEFT JOIN collections c ON c.id = l.collection_id
ORDER BY l.revision`;

export const snapshotObjects = `
SELECT ${columnsWithKeyOf('o')}, o.terms, o.unique_keys, o.expires_at
FROM collections c CROSS JOIN objects o ON o.collection_id = c.id LEFT JOIN log l ON l.revision = o.revision
WHERE c.id = :collection ORDER BY o.namespace, o.name`;

export const allCollections = 'SELECT id FROM collections ORDER BY cluster, resource';

const scopeOf = (table: string, isOneNamespace: boolean): string =>
  isOneNamespace
    ? `${table}.namespace = :namespace AND ${table}.name > :name`
    : `(${table}.namespace, ${table}.name) > (:namespace, :name)`;

/** What the first change after a revision replaced: the change whose predecessor is not newer than the revision. */
const replacedSince = (isOneNamespace: boolean): string => `
FROM log l CROSS JOIN log p ON p.revision = l.previous_revision
WHERE l.collection_id = :collection AND l.revision > :at AND l.previous_revision <= :at AND ${scopeOf('p', isOneNamespace)}`;

const headOf = (table: string): string =>
  ['namespace', 'name', 'revision', 'created_revision', 'terms'].map(column => `${table}.${column}`).join(', ');

/**
 * The state of a collection as of a revision, in key order: what has not changed since, and what the changes since then
 * replaced. The cost follows the number of those changes, never the size of the collection.
 */
export const scan = (isOneNamespace: boolean): string => `
SELECT h.*, ${contentOf('v')}
FROM (SELECT ${headOf('o')}
      FROM objects o
      WHERE o.collection_id = :collection AND ${scopeOf('o', isOneNamespace)} AND o.revision <= :at
      UNION ALL
      SELECT ${headOf('p')} ${replacedSince(isOneNamespace)}
      ORDER BY 1, 2 LIMIT :limit) h
LEFT JOIN log v ON v.revision = h.revision
ORDER BY 1, 2`;

/**
 * The same, without values, of those objects that the index knows under one of the terms. Past states are not in the
 * index: they come whatever their terms are.
 */
export const scanTerms = (isOneNamespace: boolean): string => `
SELECT ${headOf('o')}
FROM (SELECT DISTINCT object_id FROM terms WHERE term IN (SELECT value FROM json_each(:terms))) t
CROSS JOIN objects o ON o.id = t.object_id
WHERE o.collection_id = :collection AND ${scopeOf('o', isOneNamespace)} AND o.revision <= :at
UNION ALL
SELECT ${headOf('p')} ${replacedSince(isOneNamespace)}
ORDER BY 1, 2`;

/**
 * Two counts that add up to that of `scan`: the present number (from the index alone), and by how much that
 * differs from the state as of the revision (from the changes since then alone).
 */
export const counts = (isOneNamespace: boolean): readonly [now: string, difference: string] => [
  `SELECT count(*) AS count FROM (
     SELECT 1 FROM objects o WHERE o.collection_id = :collection AND ${scopeOf('o', isOneNamespace)} LIMIT :limit)`,
  `SELECT
     (SELECT count(*) ${replacedSince(isOneNamespace)})
   - (SELECT count(*) FROM log l CROSS JOIN objects o ON o.id = l.object_id AND o.revision = l.revision
      WHERE l.collection_id = :collection AND l.revision > :at AND ${scopeOf('o', isOneNamespace)}) AS count`,
];

export const termCount = `
SELECT count(*) AS count FROM (SELECT 1 FROM terms WHERE term IN (SELECT value FROM json_each(?)) LIMIT ?)`;

/** Every version, by a scan through the table itself. */
export const allVersions = `
SELECT ${versionColumns} FROM log l NOT INDEXED LEFT JOIN collections c ON c.id = l.collection_id ORDER BY l.revision`;

/** Kept versions of the objects that had a key, newest first. */
export const revisions = `
SELECT ${versionColumns}, l.at
FROM revisions l INDEXED BY revisions_object LEFT JOIN collections c ON c.id = l.collection_id
WHERE l.collection_id = (SELECT id FROM collections WHERE resource = :resource AND cluster = :cluster)
  AND l.namespace = :namespace AND l.name = :name AND l.revision <= :upTo AND l.at <= :atMs
ORDER BY l.revision DESC LIMIT :limit`;

/** Every kept version, for verification. */
export const allRevisions = `
SELECT ${versionColumns} FROM revisions l NOT INDEXED LEFT JOIN collections c ON c.id = l.collection_id ORDER BY l.revision`;
