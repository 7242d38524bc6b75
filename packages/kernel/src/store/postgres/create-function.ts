import { objectChecksumSql, versionChecksumSql } from './checksum-sql.ts';

/**
 * Does many commits at once, table by table, where the commit function goes object by object. They only create, and
 * have nothing to do with each other (see split-group.ts), so each can be judged by the state before all.
 *
 * Keys are the number of a place (cluster, resource and namespace) and a name: first those of the objects, then those
 * that are only checked, with what is expected of them. `expiries`, `term_lists` and `unique_lists` are empty when no
 * object has any. Returns the revision of the first object; or, having done nothing, the keys that stand in the way (of
 * objects that exist, whose collection does not, or whose unique keys are held; of checks that fail), so that their
 * commits are done step by step instead.
 *
 * Taking revisions comes first: see the commit function on the lock. An object's id is made from its first revision, and
 * too large to be one that the sequence gave to an object of the commit function.
 *
 * Without checksums it is the function of an earlier version: see the commit function.
 */
export function createFunction(hasChecksums: boolean): string {
  const ifChecksums = (text: string): string => (hasChecksums ? text : '');
  const revision = 'before + k';
  const objectSum = objectChecksumSql('object_sums[k]', { revision, created: revision });
  const numbers = { revision, created: revision, previous: '0', type: '0', objectId: 'first_id - 1 + k' };
  const versionSum = versionChecksumSql('version_sums[k]', numbers);
  return `
CREATE FUNCTION chandlery_create(
  channel text, clusters text[], resources text[], namespaces text[], place_nos integer[], names text[], expects bigint[],
  splices integer[], all_values bytea[], expiries bigint[], term_lists text[], unique_lists text[],
  ${ifChecksums('version_sums bigint[], object_sums bigint[],')}
  OUT first_created bigint, OUT refused integer[]
) LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  created integer := cardinality(all_values);
  before bigint;
  first_id bigint;
  collection_ids integer[];
BEGIN
  UPDATE meta m SET value = m.value + created WHERE m.name = 'revision' RETURNING m.value - created INTO before;
  first_id := (1::bigint << 40) + before + 1;

  collection_ids := ARRAY(
    SELECT (SELECT c.id FROM collections c WHERE c.resource = resources[p] AND c.cluster = clusters[p])
    FROM generate_series(1, cardinality(clusters)) p);

  refused := ARRAY(
    SELECT k FROM generate_series(created + 1, cardinality(names)) k
    CROSS JOIN LATERAL (
      SELECT (SELECT o.revision FROM objects o
        WHERE o.collection_id = collection_ids[place_nos[k]] AND o.namespace = namespaces[place_nos[k]] AND o.name = names[k])
    ) f (revision)
    WHERE CASE expects[k - created]
      WHEN -3 THEN false
      WHEN -1 THEN f.revision IS NOT NULL
      WHEN -2 THEN f.revision IS NULL
      ELSE f.revision IS DISTINCT FROM expects[k - created]
    END);

  IF refused = '{}' THEN
    BEGIN
      INSERT INTO objects (id, collection_id, namespace, name, revision, created_revision, expires_at, terms, unique_keys${ifChecksums(', checksum')})
        OVERRIDING SYSTEM VALUE
        SELECT first_id - 1 + k, collection_ids[place_nos[k]], namespaces[place_nos[k]], names[k], before + k, before + k,
          expiries[k], coalesce(term_lists[k], '{}')::bigint[], coalesce(unique_lists[k], '{}')::text[]${ifChecksums(`, ${objectSum}`)}
        FROM generate_series(1, created) k;
      IF unique_lists <> '{}' THEN
        INSERT INTO unique_keys SELECT unnest(o.unique_keys), o.id FROM objects o WHERE o.id >= first_id;
      END IF;
      IF term_lists <> '{}' THEN
        INSERT INTO terms SELECT unnest(o.terms), o.id FROM objects o WHERE o.id >= first_id;
      END IF;
      INSERT INTO log
        SELECT before + k, first_id - 1 + k, collection_ids[place_nos[k]], namespaces[place_nos[k]], names[k], 0, before + k,
          NULL, coalesce(term_lists[k], '{}')::bigint[], splices[k], all_values[k]${ifChecksums(`, ${versionSum}`)}
        FROM generate_series(1, created) k;
      PERFORM pg_notify(channel, (before + created)::text);
      first_created := before + 1;
      refused := NULL;
      RETURN;
    EXCEPTION WHEN unique_violation OR not_null_violation THEN
      refused := ARRAY(
        SELECT k FROM generate_series(1, created) k
        WHERE collection_ids[place_nos[k]] IS NULL
          OR EXISTS (SELECT 1 FROM objects o WHERE o.collection_id = collection_ids[place_nos[k]]
            AND o.namespace = namespaces[place_nos[k]] AND o.name = names[k])
          OR EXISTS (SELECT 1 FROM unique_keys u WHERE u.text = ANY (unique_lists[k]::text[])));
      IF refused = '{}' THEN RAISE; END IF;
    END;
  END IF;
  UPDATE meta m SET value = before WHERE m.name = 'revision';
END
$function$;
`;
}
