import type { Statement } from './database.ts';
import { contentOf } from './read-statements.ts';

/** What a walk through some collections of a resource looks at. */
export interface WalkShape {
  readonly isOneNamespace: boolean;
  /** How many groups of terms there are. */
  readonly groups: number;
  /** The group (from 0) whose index entries are used. Default: walk in key order. */
  readonly indexed?: number | undefined;
}

/** Parameters: $1 collection ids, $2 and $3 the key to begin after, $4 the revision, $5 the limit, then the groups. */
const firstGroup = 6;

const scopeOf = (table: string, isOneNamespace: boolean): string =>
  isOneNamespace ? `${table}.namespace = $2 AND ${table}.name > $3` : `(${table}.namespace, ${table}.name) > ($2, $3)`;

const carries = (table: string, groups: number): string =>
  Array.from({ length: groups }, (_, group) => ` AND ${table}.terms && $${firstGroup + group}::bigint[]`).join('');

const headOf = (table: string): string =>
  ['namespace', 'name', 'revision', 'created_revision'].map(column => `${table}.${column}`).join(', ');

const changedSince = 'l.collection_id = u.id AND l.revision > $4';

/** What the first change after the revision replaced: the change whose predecessor is not newer than the revision. */
const replacedSince = (isOneNamespace: boolean): string => `
FROM log l JOIN log p ON p.revision = l.previous_revision
WHERE ${changedSince} AND l.previous_revision <= $4 AND ${scopeOf('p', isOneNamespace)}`;

const collections = 'unnest($1::integer[]) WITH ORDINALITY AS u (id, no)';

/**
 * The state of collections as of a revision, in key order: what has not changed since, and what the changes since then
 * replaced. The cost follows the number of those changes, never the size of the collections.
 */
export function walk(shape: WalkShape): Statement {
  const { isOneNamespace, groups, indexed } = shape;
  const text = `
    SELECT h.*, ${contentOf('v')}
    FROM (${indexed === undefined ? unchanged(shape) : unchangedOfTerm(shape, indexed)}
          UNION ALL
          (SELECT u.no, u.id AS collection_id, p.*
           FROM ${collections} CROSS JOIN LATERAL (
             SELECT ${headOf('p')} ${replacedSince(isOneNamespace)}${carries('p', groups)}) p
           ORDER BY u.no, p.namespace, p.name LIMIT $5)
          ORDER BY no, namespace, name LIMIT $5) h
    LEFT JOIN log v ON v.revision = h.revision
    ORDER BY h.no, h.namespace, h.name`;
  return { name: `walk ${isOneNamespace} ${groups} ${indexed}`, text };
}

/** Walks the collections in key order. */
const unchanged = ({ isOneNamespace, groups }: WalkShape): string => `
  (SELECT u.no, u.id AS collection_id, o.*
   FROM ${collections} CROSS JOIN LATERAL (
     SELECT ${headOf('o')} FROM objects o
     WHERE o.collection_id = u.id AND ${scopeOf('o', isOneNamespace)} AND o.revision <= $4${carries('o', groups)}
     ORDER BY o.collection_id, o.namespace, o.name LIMIT $5) o
   ORDER BY u.no, o.namespace, o.name LIMIT $5)`;

/** Looks up what the index of terms knows, and sorts. */
const unchangedOfTerm = ({ isOneNamespace, groups }: WalkShape, indexed: number): string => `
  (SELECT u.no, u.id AS collection_id, o.namespace, o.name, o.revision, o.created_revision
   FROM (SELECT DISTINCT object_id FROM terms WHERE term = ANY ($${firstGroup + indexed}::bigint[])) t
   CROSS JOIN LATERAL (
     SELECT * FROM objects o
     WHERE o.id = t.object_id AND ${scopeOf('o', isOneNamespace)} AND o.revision <= $4${carries('o', groups)} LIMIT 1) o
   JOIN ${collections} ON u.id = o.collection_id
   ORDER BY u.no, o.namespace, o.name LIMIT $5)`;

/** How many objects a walk without terms has: those of now, and by how much that differs from the revision's state. */
export const count = (isOneNamespace: boolean): Statement => ({
  name: `count ${isOneNamespace}`,
  text: `
    SELECT
      (SELECT count(*) FROM (
        SELECT 1 FROM ${collections} CROSS JOIN LATERAL (
          SELECT 1 FROM objects o WHERE o.collection_id = u.id AND ${scopeOf('o', isOneNamespace)} LIMIT $5) o
        LIMIT $5) t) AS now,
      (SELECT count(*) FROM ${collections} CROSS JOIN LATERAL (SELECT 1 ${replacedSince(isOneNamespace)}) p)
      - (SELECT count(*) FROM ${collections} CROSS JOIN LATERAL (
           SELECT 1 FROM log l JOIN objects o ON o.id = l.object_id AND o.revision = l.revision
           WHERE ${changedSince} AND ${scopeOf('o', isOneNamespace)}) o) AS difference`,
});
