import { setImmediate as nextTurn } from 'node:timers/promises';
import { isCountable, isPlain, scopeWithin } from '../list-scope.ts';
import { maxRemaining, PageBuilder } from '../page-builder.ts';
import { toObject } from '../rows.ts';
import type { ListQuery, Page, StoredObject } from '../store.ts';
import { assertReadable } from '../store-errors.ts';
import * as statements from './read-statements.ts';
import type { Candidate, CandidateVersion, CollectionScan, ReadCandidate, Reader } from './reader.ts';

/** Above this many matches, sorting them costs more than walking in key order. */
const maxSorted = 4000;
/** So many rows are read and looked at before others get their turn. */
const rowsPerTurn = 512;

type ClusterScan = CollectionScan & { readonly cluster: string };

/** Reads one page. The reader shows one state of the database for the whole time. */
export async function listObjects(reader: Reader, query: ListQuery): Promise<Page> {
  const window = reader.window();
  const at = query.at ?? window.revision;
  assertReadable(at, window);
  const scans = planScans(reader, query, at);
  const page = new PageBuilder(query);
  await fillPage(reader, query, scans, page);
  const { items, more } = page;
  const remaining = more && isCountable(query) ? countRemaining(reader, query, at, items.at(-1)) : undefined;
  return { items, revision: at, more, ...(remaining === undefined ? {} : { remaining }) };
}

/** The collections to read, in order, each with the place where the page may begin. */
function planScans(reader: Reader, query: ListQuery, at: number): ClusterScan[] {
  const scans = collectionsOf(reader, query).map(({ id, cluster }): ClusterScan | undefined => {
    const scope = scopeWithin(cluster, query);
    return scope && { cluster, collectionId: id, scope, at };
  });
  return scans.filter(scan => scan !== undefined);
}

function collectionsOf(reader: Reader, { cluster, resource, after }: ListQuery): { id: number; cluster: string }[] {
  if (cluster !== undefined) return reader.all(statements.collection, resource, cluster);
  return reader.all(statements.collectionsOfResource, resource, after?.cluster ?? '');
}

/** The group with the fewest objects, if its index entries are worth using. */
function mostSelective(reader: Reader, groups: readonly (readonly number[])[]): readonly number[] | undefined {
  let best: readonly number[] | undefined;
  let fewest = maxSorted + 1;
  for (const group of groups) {
    const count = Number(reader.one(statements.termCount, JSON.stringify(group), fewest)?.count);
    if (count >= fewest) continue;
    best = group;
    fewest = count;
  }
  return best;
}

async function fillPage(
  reader: Reader,
  query: ListQuery,
  scans: readonly ClusterScan[],
  page: PageBuilder,
): Promise<void> {
  const matches = termMatcher(query.terms ?? []);
  const indexed = mostSelective(reader, query.terms ?? []);
  const pageful = Math.min((query.limit ?? rowsPerTurn) + 1, rowsPerTurn);
  const size = isPlain(query) ? pageful : rowsPerTurn;
  const batchesOf = (scan: CollectionScan): Iterable<readonly Candidate[]> =>
    indexed
      ? inSlices(reader.scanTerms(scan, indexed), () => page.batchSize(pageful))
      : inPages(reader, scan, () => page.batchSize(size));
  let looked = 0;
  for (const scan of scans) {
    for (const candidates of batchesOf(scan)) {
      looked += candidates.length + 1;
      for (const candidate of withValues(reader, candidates.filter(matches))) {
        if (!page.takesAnother()) return;
        page.offer(toObject({ ...candidate, resource: query.resource, cluster: scan.cluster }));
      }
      if (looked < rowsPerTurn) continue;
      looked = 0;
      await nextTurn();
    }
  }
}

function* inSlices(candidates: readonly Candidate[], sizeOf: () => number): Iterable<readonly Candidate[]> {
  for (let start = 0; start < candidates.length; ) {
    const slice = candidates.slice(start, start + sizeOf());
    start += slice.length;
    yield slice;
  }
}

function* inPages(reader: Reader, scan: CollectionScan, sizeOf: () => number): Iterable<readonly Candidate[]> {
  for (let after = scan.scope.after; ; ) {
    const size = sizeOf();
    const candidates = reader.scan({ ...scan, scope: { ...scan.scope, after } }, size);
    yield candidates;
    const last = candidates.at(-1);
    if (last === undefined || candidates.length < size) return;
    after = { namespace: last.namespace, name: last.name };
  }
}

/** Past states are not in the index, and one group of the index does not answer for the others. */
function termMatcher(groups: readonly (readonly number[])[]): (candidate: Candidate) => boolean {
  if (groups.length === 0) return () => true;
  const sets = groups.map(group => new Set(group));
  return ({ terms }) => {
    const carried = JSON.parse(terms) as number[];
    return sets.every(set => carried.some(term => set.has(term)));
  };
}

/** The candidates with their values, which one statement reads for all of them. */
function withValues(reader: Reader, candidates: readonly Candidate[]): readonly ReadCandidate[] {
  if (candidates[0]?.value !== undefined) return candidates as ReadCandidate[];
  const revisions = candidates.map(({ revision }) => revision);
  const rows = reader.all<CandidateVersion>(statements.values, JSON.stringify(revisions));
  const versions = new Map(rows.map(row => [row.revision, row]));
  return candidates.map(candidate => ({ ...missingVersion, ...candidate, ...versions.get(candidate.revision) }));
}

const missingVersion = {
  previous_revision: null,
  type: 0,
  object_id: 0,
  log_terms: '',
  splice: 0,
  value: null,
  checksum: null,
} satisfies Omit<CandidateVersion, 'revision'>;

function countRemaining(
  reader: Reader,
  query: ListQuery,
  at: number,
  last: StoredObject | undefined,
): number | undefined {
  const rest = last === undefined ? query : { ...query, after: last.key };
  let remaining = 0;
  for (const scan of planScans(reader, rest, at)) {
    const count = reader.count(scan, maxRemaining - remaining);
    if (count === undefined) return undefined;
    remaining += count;
  }
  return remaining > maxRemaining ? undefined : remaining;
}
