import { objectChecksumSql, versionChecksumSql } from './checksum-sql.ts';
import { createFunction } from './create-function.ts';

/**
 * The tables: the same model as SQLite's. `meta` has one row for each number, because the row of the revision is the
 * lock that puts commits in order, and compaction must not wait for it.
 */
const tables = `
CREATE TABLE meta (name text PRIMARY KEY, value bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO meta VALUES ('revision', 0), ('compacted', 0), ('swept', 0);

CREATE TABLE collections (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  resource text COLLATE "C" NOT NULL,
  cluster text COLLATE "C" NOT NULL,
  UNIQUE (resource, cluster)
);
CREATE INDEX collections_cluster ON collections (cluster);

CREATE TABLE objects (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  collection_id integer NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  created_revision bigint NOT NULL,
  expires_at bigint,
  terms bigint[] NOT NULL,
  unique_keys text[] NOT NULL,
  UNIQUE (collection_id, namespace, name)
) WITH (fillfactor = 70);
CREATE INDEX objects_expiry ON objects (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE log (
  revision bigint PRIMARY KEY,
  object_id bigint NOT NULL,
  collection_id integer NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  type smallint NOT NULL,
  created_revision bigint NOT NULL,
  previous_revision bigint,
  terms bigint[] NOT NULL,
  splice integer NOT NULL,
  value bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE log ALTER value SET STORAGE EXTERNAL;
CREATE INDEX log_collection ON log (collection_id, revision) INCLUDE (previous_revision);

CREATE TABLE terms (term bigint, object_id bigint, PRIMARY KEY (term, object_id));

CREATE TABLE unique_keys (text text COLLATE "C" PRIMARY KEY, object_id bigint NOT NULL);
`;

/**
 * Runs a group of commits. Each is a run of steps with one `commit_no`: first what must hold, then what to do, so a
 * rejected commit has changed nothing (see commit-steps.ts). Returns one row for each commit: its first revision, or
 * the step that failed and why.
 *
 * Locking the revision's row comes first: until this transaction is visible to all others, no other can take the next
 * revision. That is what keeps tailing readers from missing anything.
 *
 * The first level knows no checksums. Its function stays, for replicas of an earlier version that still run; the next one
 * takes the parts of the checksums that do not depend on revisions and ids.
 */
function commitFunction(hasChecksums: boolean): string {
  const ifChecksums = (text: string): string => (hasChecksums ? text : '');
  const versionSum = (numbers: {
    readonly created: string;
    readonly previous: string;
    readonly type: string;
  }): string =>
    versionChecksumSql('version_sums[step.no]', { ...numbers, revision: 'last_revision', objectId: 'found_id' });
  const objectSum = (created: string): string =>
    objectChecksumSql('object_sums[step.no]', { revision: 'last_revision', created });
  return `
CREATE FUNCTION chandlery_commit(
  channel text, clusters text[], resources text[],
  commit_nos integer[], kinds smallint[], collection_nos integer[], namespaces text[], names text[], expects bigint[],
  splices integer[], starts integer[], sizes integer[], expiries bigint[], term_lists text[], unique_lists text[],
  all_values bytea${ifChecksums(', version_sums bigint[], object_sums bigint[]')}
) RETURNS TABLE (commit_no integer, first_revision bigint, failed_step integer, failure text)
LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  collection_ids integer[] := '{}';
  collection_id integer;
  step record;
  found_id bigint;
  found_revision bigint;
  found_created bigint;
  found_terms bigint[];
  found_unique text[];
  new_terms bigint[];
  new_unique text[];
  holder bigint;
  written bigint[] := '{}';
  current_revision bigint;
  last_revision bigint;
BEGIN
  SELECT m.value INTO current_revision FROM meta m WHERE m.name = 'revision' FOR UPDATE;
  last_revision := current_revision;
  commit_no := -1;

  FOR i IN 1 .. cardinality(clusters) LOOP
    SELECT c.id INTO collection_id FROM collections c WHERE c.resource = resources[i] AND c.cluster = clusters[i];
    collection_ids := collection_ids || collection_id;
  END LOOP;

  FOR step IN
    SELECT * FROM unnest(commit_nos, kinds, collection_nos, namespaces, names, expects, splices, starts, sizes, expiries,
        term_lists, unique_lists)
      WITH ORDINALITY AS s (commit_no, kind, collection_no, namespace, name, expect, splice, start, size, expires_at,
        terms, unique_keys, no)
  LOOP
    IF step.commit_no <> commit_no THEN
      IF commit_no >= 0 THEN RETURN NEXT; END IF;
      commit_no := step.commit_no;
      first_revision := last_revision + 1;
      failed_step := NULL;
      failure := NULL;
      written := '{}';
    END IF;
    CONTINUE WHEN failure IS NOT NULL;

    IF step.kind = 3 THEN
      SELECT u.object_id INTO holder FROM unique_keys u WHERE u.text = step.name;
      IF FOUND AND holder <> ALL (written) THEN
        failure := 'unique';
        failed_step := step.no;
      END IF;
      CONTINUE;
    END IF;

    collection_id := collection_ids[step.collection_no];
    SELECT o.id, o.revision, o.created_revision, o.terms, o.unique_keys
      INTO found_id, found_revision, found_created, found_terms, found_unique
      FROM objects o
      WHERE o.collection_id = collection_id AND o.namespace = step.namespace AND o.name = step.name;

    failure := CASE
      WHEN step.expect = -3 THEN NULL
      WHEN step.expect = -1 THEN CASE WHEN found_id IS NULL THEN NULL ELSE 'exists' END
      WHEN found_id IS NULL THEN 'missing'
      WHEN step.expect = -2 OR step.expect = found_revision THEN NULL
      ELSE 'revision'
    END;
    IF failure IS NOT NULL THEN
      failed_step := step.no;
      CONTINUE;
    END IF;

    IF step.kind = 0 AND found_id IS NOT NULL THEN
      written := written || found_id;
    END IF;
    CONTINUE WHEN step.kind IN (0, 4);

    last_revision := last_revision + 1;
    IF step.kind = 1 THEN
      new_terms := step.terms::bigint[];
      new_unique := coalesce(step.unique_keys::text[], '{}');
      IF found_id IS NULL THEN
        found_terms := '{}';
        found_unique := '{}';
        IF collection_id IS NULL THEN
          INSERT INTO collections (resource, cluster)
            VALUES (resources[step.collection_no], clusters[step.collection_no]) RETURNING id INTO collection_id;
          collection_ids[step.collection_no] := collection_id;
        END IF;
        INSERT INTO objects (collection_id, namespace, name, revision, created_revision, expires_at, terms, unique_keys${ifChecksums(', checksum')})
          VALUES (collection_id, step.namespace, step.name, last_revision, last_revision, step.expires_at, new_terms, new_unique${ifChecksums(`, ${objectSum('last_revision')}`)})
          RETURNING id INTO found_id;
        INSERT INTO log VALUES (last_revision, found_id, collection_id, step.namespace, step.name, 0, last_revision, NULL,
          new_terms, step.splice, substr(all_values, step.start, step.size)${ifChecksums(`, ${versionSum({ created: 'last_revision', previous: '0', type: '0' })}`)});
      ELSE
        UPDATE objects o SET revision = last_revision, expires_at = step.expires_at, terms = new_terms, unique_keys = new_unique${ifChecksums(`, checksum = ${objectSum('found_created')}`)}
          WHERE o.id = found_id;
        INSERT INTO log VALUES (last_revision, found_id, collection_id, step.namespace, step.name, 1, found_created,
          found_revision, new_terms, step.splice, substr(all_values, step.start, step.size)${ifChecksums(`, ${versionSum({ created: 'found_created', previous: 'found_revision', type: '1' })}`)});
      END IF;
    ELSE
      new_terms := '{}';
      new_unique := '{}';
      DELETE FROM objects o WHERE o.id = found_id;
      INSERT INTO log VALUES (last_revision, found_id, collection_id, step.namespace, step.name, 2, found_created,
        found_revision, found_terms, step.splice, substr(all_values, step.start, step.size)${ifChecksums(`, ${versionSum({ created: 'found_created', previous: 'found_revision', type: '2' })}`)});
    END IF;

    IF new_terms <> found_terms THEN
      DELETE FROM terms t WHERE t.object_id = found_id AND t.term = ANY (found_terms) AND t.term <> ALL (new_terms);
      INSERT INTO terms SELECT t, found_id FROM unnest(new_terms) t WHERE t <> ALL (found_terms);
    END IF;
    IF new_unique <> found_unique THEN
      -- A key may move between two objects of one commit in either order: a claim overwrites, a release looks first.
      DELETE FROM unique_keys u WHERE u.object_id = found_id AND u.text = ANY (found_unique) AND u.text <> ALL (new_unique);
      INSERT INTO unique_keys SELECT t, found_id FROM unnest(new_unique) t WHERE t <> ALL (found_unique)
        ON CONFLICT (text) DO UPDATE SET object_id = excluded.object_id;
    END IF;
  END LOOP;
  IF commit_no >= 0 THEN RETURN NEXT; END IF;

  IF last_revision > current_revision THEN
    UPDATE meta m SET value = last_revision WHERE m.name = 'revision';
    PERFORM pg_notify(channel, last_revision::text);
  END IF;
END
$function$;
`;
}

/** Removes what the next forgotten revisions superseded, and the deletions among them; returns whether there is more. */
const sweepFunction = `
CREATE FUNCTION chandlery_sweep(batch bigint) RETURNS boolean LANGUAGE plpgsql AS $function$
DECLARE
  swept bigint;
  compacted bigint;
  upper bigint;
BEGIN
  SELECT m.value INTO swept FROM meta m WHERE m.name = 'swept' FOR UPDATE;
  SELECT m.value INTO compacted FROM meta m WHERE m.name = 'compacted';
  upper := least(compacted, swept + batch);
  IF upper <= swept THEN RETURN false; END IF;
  DELETE FROM log WHERE revision = ANY (ARRAY(
    SELECT l.previous_revision FROM log l
    WHERE l.revision > swept AND l.revision <= upper AND l.previous_revision IS NOT NULL));
  DELETE FROM log l WHERE l.revision > swept AND l.revision <= upper AND l.type = 2;
  UPDATE meta SET value = upper WHERE name = 'swept';
  RETURN upper < compacted;
END
$function$;
`;

/** Removes objects of a logical cluster, or, when there are none left, what deleted ones left in the log. */
const purgeFunctions = `
CREATE FUNCTION chandlery_purge(purged text, batch integer) RETURNS integer LANGUAGE plpgsql AS $function$
DECLARE
  ids bigint[];
BEGIN
  PERFORM 1 FROM meta m WHERE m.name = 'revision' FOR UPDATE;
  ids := ARRAY(SELECT o.id FROM collections c JOIN objects o ON o.collection_id = c.id WHERE c.cluster = purged LIMIT batch);
  DELETE FROM terms t USING objects o WHERE o.id = ANY (ids) AND t.object_id = o.id AND t.term = ANY (o.terms);
  DELETE FROM unique_keys u USING objects o WHERE o.id = ANY (ids) AND u.object_id = o.id AND u.text = ANY (o.unique_keys);
  DELETE FROM log WHERE revision = ANY (ARRAY(
    WITH RECURSIVE versions (revision) AS (
      SELECT o.revision FROM objects o WHERE o.id = ANY (ids)
      UNION ALL
      SELECT l.previous_revision FROM log l JOIN versions v ON l.revision = v.revision WHERE l.previous_revision IS NOT NULL
    )
    SELECT revision FROM versions));
  DELETE FROM objects WHERE id = ANY (ids);
  RETURN cardinality(ids);
END
$function$;

CREATE FUNCTION chandlery_purge_history(purged text, batch integer) RETURNS integer LANGUAGE plpgsql AS $function$
DECLARE
  revisions bigint[];
BEGIN
  PERFORM 1 FROM meta m WHERE m.name = 'revision' FOR UPDATE;
  -- A live object's value is a log row: it must not go before the object.
  IF EXISTS (SELECT 1 FROM collections c JOIN objects o ON o.collection_id = c.id WHERE c.cluster = purged) THEN
    RETURN 0;
  END IF;
  revisions := ARRAY(SELECT l.revision FROM collections c JOIN log l ON l.collection_id = c.id WHERE c.cluster = purged LIMIT batch);
  DELETE FROM log WHERE revision = ANY (revisions);
  IF cardinality(revisions) = 0 THEN
    DELETE FROM collections WHERE cluster = purged;
  END IF;
  RETURN cardinality(revisions);
END
$function$;
`;

/**
 * A checksum in every row that holds data. Rows of an earlier version, and those that its replicas still write, have none
 * until `addChecksums` finds them by the small indexes.
 */
const checksumColumns = `
ALTER TABLE facts ADD checksum bigint;
ALTER TABLE objects ADD checksum bigint;
ALTER TABLE log ADD checksum bigint;
CREATE INDEX objects_unchecked ON objects (id) WHERE checksum IS NULL;
CREATE INDEX log_unchecked ON log (revision) WHERE checksum IS NULL;
`;

/** Copies of rows of the log that outlive it, checksums included. Purging a logical cluster removes them as well. */
const revisionsTable = `
CREATE TABLE revisions (
  revision bigint PRIMARY KEY,
  object_id bigint NOT NULL,
  collection_id integer NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  type smallint NOT NULL,
  created_revision bigint NOT NULL,
  previous_revision bigint,
  terms bigint[] NOT NULL,
  splice integer NOT NULL,
  value bytea NOT NULL,
  checksum bigint,
  at bigint NOT NULL,
  expires_at bigint NOT NULL,
  size integer NOT NULL
);
ALTER TABLE revisions ALTER value SET STORAGE EXTERNAL;
CREATE INDEX revisions_object ON revisions (collection_id, namespace, name, revision);
CREATE INDEX revisions_expiry ON revisions (expires_at, revision) INCLUDE (size);
CREATE INDEX revisions_room ON revisions (collection_id, namespace, expires_at, revision) INCLUDE (size);

CREATE FUNCTION chandlery_purge_revisions(purged text, batch integer) RETURNS integer LANGUAGE plpgsql AS $function$
DECLARE
  removed integer;
BEGIN
  DELETE FROM revisions WHERE revision = ANY (ARRAY(
    SELECT r.revision FROM collections c JOIN revisions r ON r.collection_id = c.id WHERE c.cluster = purged LIMIT batch));
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END
$function$;
`;

/** A version that is copied while a logical cluster is purged goes with its collection, or is not copied. */
const revisionsOfCollections = `
DELETE FROM revisions WHERE collection_id NOT IN (SELECT id FROM collections);
ALTER TABLE revisions ADD FOREIGN KEY (collection_id) REFERENCES collections ON DELETE CASCADE;
`;

/** The upgrades of the schema, in order; how many have been done is the fact `store.level`. */
export const migrations: readonly string[] = [
  [tables, commitFunction(false), sweepFunction, purgeFunctions].join('\n'),
  createFunction(false),
  [checksumColumns, commitFunction(true), createFunction(true)].join('\n'),
  revisionsTable,
  revisionsOfCollections,
];

/** Holds facts, the level among them, so it comes before all migrations. */
export const factsTable = 'CREATE TABLE IF NOT EXISTS facts (name text PRIMARY KEY, value text NOT NULL)';
