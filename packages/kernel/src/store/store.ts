/**
 * The store: one ordered history of objects.
 *
 * Every write gets its own revision, from one counter that only rises. A commit of several writes takes consecutive
 * revisions and becomes visible as a whole, in revision order, and never before it is durable. Drivers know bytes,
 * keys, revisions and integer index terms; what an object means is the kernel's business.
 */
export interface Store extends AsyncDisposable {
  /** The object as it is now. */
  get(key: ObjectKey): Promise<StoredObject | undefined>;
  /** A page of a collection, in key order (namespace, then name; byte order). */
  list(query: ListQuery): Promise<Page>;
  /** All or nothing. Rejects with code `PreconditionFailed` or `UniqueViolation`, see {@link storeErrorCodes}. */
  commit(commit: Commit): Promise<CommitResult>;
  /** The revision of the last visible write; 0 for an empty store. */
  currentRevision(): Promise<number>;
  /** History after a revision, in order. Rejects with `Compacted` when part of it is compacted. */
  changes(query: ChangesQuery): Promise<ChangesPage>;
  /**
   * Calls `listener` whenever later revisions may have become visible, in this process or another; spurious calls are
   * allowed, lost ones are not for longer than the driver's safety poll. Returns the function that stops it.
   */
  onAdvance(listener: AdvanceListener): () => void;
  /** The state of an object just before the change at `revision`, while history still holds it. */
  before(change: Change): Promise<StoredObject | undefined>;
  /** The logical clusters, collections and counts that exist: `{cluster, resource}` of every non-empty collection. */
  collections(cluster?: string): Promise<readonly Collection[]>;
  /**
   * Objects of any collection that carry the term, in no particular order, read in pages as they are taken. Filter again:
   * hashes may collide.
   */
  withTerm(term: number, limit: number): AsyncIterable<StoredObject>;
  /** The keys of the same objects: what they hold is not read. */
  keysWithTerm(term: number, limit: number): Promise<readonly ObjectKey[]>;
  /** Objects whose `expiresAt` has passed, oldest first. */
  expired(nowMs: number, limit: number): Promise<readonly StoredObject[]>;
  /** Forgets superseded history up to and including `revision`; later `changes` and `at` reads below it fail with `Compacted`. */
  compact(revision: number): Promise<void>;
  /** The revision up to which history has been forgotten. */
  compactedRevision(): Promise<number>;
  /**
   * Physically removes up to `limit` objects (and their history) of a logical cluster that is no longer served.
   * Writes no changes. Returns how many objects were removed; 0 means that nothing is left.
   */
  purge(cluster: string, limit: number): Promise<number>;
  /** Everything, as of one revision, during writes. */
  snapshot(): Promise<Snapshot>;
  /**
   * Fills a store that was never written to from a snapshot, keeping revisions; all of it or nothing. History before
   * the snapshot counts as compacted. Rejects with `NotEmpty` otherwise.
   */
  load(snapshot: Snapshot): Promise<void>;
  /** Superseded versions that outlive the history of watches. */
  readonly revisions: RevisionStore;
  /** Small durable facts about the installation (key fingerprints, schema level). Not revisioned. */
  readonly facts: Facts;
  /**
   * Rejects with `Unavailable` (and the reason) while the store cannot be used. After a failed write it rejects until a
   * write of realistic size succeeds again.
   */
  check(): Promise<void>;
  /** What is known to be wrong with the stored data. Empty for a sound store. */
  readonly damage: readonly Damage[];
  /** How much room the data takes where it is kept. */
  sizeBytes(): Promise<number>;
}

/** Observes commits, for metrics. Must return quickly and not throw. */
export interface StoreObserver {
  /** A commit has ended, so long after it was requested. */
  commitEnded(outcome: CommitOutcome, seconds: number): void;
  /** Commits became durable together. */
  groupCommitted(group: { readonly commits: number; readonly writes: number; readonly bytes: number }): void;
}

/** How a commit ended. `rejected`: an expectation did not hold, or a unique string is taken. */
export type CommitOutcome = 'committed' | 'rejected' | 'unavailable' | 'failed';

/** The kinds of damage, the worst first. */
export const damageKinds = ['lost', 'row', 'index', 'structure', 'page', 'log', 'checksums'] as const;

/** One thing that is wrong with the stored data, as `chandlery store verify`, the log and `/readyz?verbose` name it. */
export interface Damage {
  /**
   * `lost`: acknowledged writes are missing. `row`: a row is not what was written. `index`: a derived row is missing or
   * surplus. `page`: bytes of the database file changed. `log`: bytes of the write-ahead log changed. `checksums`: a file
   * that holds checksums is damaged itself. `structure`: the database finds its own structure broken.
   */
  readonly kind: (typeof damageKinds)[number];
  /** One sentence, without secrets. */
  readonly message: string;
  /** The key of the object by `formatKey`, where it is known. */
  readonly object?: string;
}

export interface ObjectKey {
  /** Logical cluster. */
  readonly cluster: string;
  /** Group and plural as `group/plural`; the core group is empty: `/secrets`, `apps/deployments`. */
  readonly resource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * The bytes of an object without its resourceVersion, and the offset at which its digits belong. The driver neither
 * parses nor splices them. They are immutable, also for the caller of a commit: listeners get the same ones.
 */
export interface StoredValue {
  readonly bytes: Uint8Array;
  readonly splice: number;
}

export interface StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  /** The revision that created this incarnation. */
  readonly createdRevision: number;
  readonly value: StoredValue;
}

/** What must hold for a commit to happen. */
export type Expectation =
  | { readonly type: 'absent' }
  | { readonly type: 'present' }
  | { readonly type: 'revision'; readonly revision: number }
  | { readonly type: 'any' };

export interface Put {
  readonly type: 'put';
  readonly key: ObjectKey;
  readonly expect: Expectation;
  readonly value: StoredValue;
  /** Index terms (53-bit integers, see terms.ts), replaced as a whole. */
  readonly terms: readonly number[];
  /** Landscape-wide unique strings that this object holds, replaced as a whole. Default none. */
  readonly unique?: readonly string[];
  /** Milliseconds since the epoch. Default never. */
  readonly expiresAt?: number;
}

export interface Delete {
  readonly type: 'delete';
  readonly key: ObjectKey;
  /** Only what exists can be deleted, so `any` means `present` here. */
  readonly expect: Expectation;
  /** The last state, for watchers. */
  readonly value: StoredValue;
}

export interface Check {
  readonly key: ObjectKey;
  readonly expect: Expectation;
}

export interface Commit {
  /** Each key at most once; otherwise the commit is rejected with `InternalError`. */
  readonly writes: readonly (Put | Delete)[];
  /** Conditions on objects that the commit does not write. Default none. */
  readonly checks?: readonly Check[];
}

export interface CommitResult {
  /** One for each write, in order, consecutive. */
  readonly revisions: readonly number[];
}

export interface ListQuery {
  /** Undefined: every logical cluster (ordered by cluster first). */
  readonly cluster?: string;
  readonly resource: string;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  /** Only objects that carry at least one term of every group. Hash collisions are possible: filter again. Default none. */
  readonly terms?: readonly (readonly number[])[];
  /** Applied to every candidate before it counts against `limit`. Default: all pass. */
  readonly filter?: (object: StoredObject) => boolean;
  /** Default: no limit. */
  readonly limit?: number;
  /** The page ends with the object that reaches this size. Default: no limit. */
  readonly maxBytes?: number;
  /** Whether the page says how many candidates follow it. Default true. */
  readonly isCounted?: boolean;
  /** Strictly after this key. */
  readonly after?: Pick<ObjectKey, 'cluster' | 'namespace' | 'name'>;
  /** State as of this revision, which must not be compacted. Default: now. */
  readonly at?: number;
}

export interface Page {
  readonly items: readonly StoredObject[];
  /** The revision that the page shows: `at`, or the current one when the read happened. */
  readonly revision: number;
  /** True when objects after the last item may match. */
  readonly more: boolean;
  /** How many candidates follow the page; only for queries without terms and filter, and only while cheap to know. */
  readonly remaining?: number;
}

export interface Change {
  readonly revision: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly key: ObjectKey;
  /** The new state; for `deleted` the last one. */
  readonly value: StoredValue;
  /** Undefined for `created`. */
  readonly previousRevision?: number;
}

/**
 * Called when the store has advanced. Where the driver knows what this process has committed, it hands the changes over:
 * what `changes` would read, consecutive, in order, and durable. There may be changes between two calls, because
 * other processes write too, and a change may have been read before it is handed over. A call without changes means: read.
 *
 * The commits' promises are settled by then, but their awaiting callers have not continued yet.
 */
export type AdvanceListener = (committed?: readonly Change[]) => void;

export interface ChangesQuery {
  readonly after: number;
  /** At most so many changes in the page. */
  readonly limit: number;
  /** Only this collection; without `cluster`, the resource in all logical clusters. Default: everything. */
  readonly collection?: { readonly cluster?: string; readonly resource: string };
}

export interface ChangesPage {
  readonly changes: readonly Change[];
  /** History has been read up to here (at least the last change's revision); continue after it. */
  readonly upTo: number;
  /** True when the limit cut the page. */
  readonly more: boolean;
}

export interface Collection {
  readonly cluster: string;
  readonly resource: string;
}

export interface Snapshot {
  readonly revision: number;
  /** Batches of objects in key order. Ends early only by throwing. */
  readonly objects: AsyncIterable<readonly SnapshotObject[]>;
}

export interface SnapshotObject extends StoredObject {
  readonly terms: readonly number[];
  readonly unique: readonly string[];
  readonly expiresAt?: number;
}

/**
 * Superseded versions of objects that are kept longer than the history that watches read: a copy of their rows, so that
 * compaction does not concern them. Which ones are kept, and how long, is decided by the kernel. Not part of snapshots.
 */
export interface RevisionStore {
  /**
   * Copies versions out of history, the whole list or nothing; of an object no more than the last `maxPerObject` stay.
   * Versions that are there already are left as they are, those that history no longer holds are skipped.
   */
  keep(versions: readonly KeptVersion[], maxPerObject: number): Promise<void>;
  /** The kept versions of an object, or of all objects that had its key, newest first. */
  page(query: RevisionsQuery): Promise<RevisionsPage>;
  /**
   * Removes up to `limit` versions: those that have expired, then, when all take more than `maxBytes`, those that expire next
   * of the namespace that takes most in the logical cluster that takes most, until `keptBytes` are left. It is called with
   * the same bounds until it removes less.
   */
  trim(bounds: RevisionBounds, limit: number): Promise<number>;
}

/** A version to be kept. Times are milliseconds since the epoch. */
export interface KeptVersion {
  readonly revision: number;
  /** When it was written. */
  readonly at: number;
  readonly expiresAt: number;
}

export interface RevisionBounds {
  readonly nowMs: number;
  readonly maxBytes: number;
  /** Who takes the room is found out by reading all: less than `maxBytes` makes that rare. */
  readonly keptBytes: number;
}

export interface RevisionsQuery {
  readonly key: ObjectKey;
  /** Only revisions up to this one. Default: all. */
  readonly upTo?: number;
  /** Only versions that were written by this time. Default: whenever. */
  readonly atMs?: number;
  readonly limit: number;
  /** The page ends with the version that reaches this size. Default: no limit. */
  readonly maxBytes?: number;
}

export interface RevisionsPage {
  readonly items: readonly Revision[];
  /** True when there are older ones. */
  readonly more: boolean;
}

/** A version that an object had. For deletions, the last state. */
export interface Revision extends StoredObject {
  readonly type: Change['type'];
  readonly at: number;
}

export interface Facts {
  get(name: string): Promise<string | undefined>;
  /** Stores the value unless one is there; returns the one that holds afterwards. */
  putIfAbsent(name: string, value: string): Promise<string>;
}

/** Error codes of the store; the errors are `ChandleryError`s. */
export const storeErrorCodes = {
  /** A write's or check's expectation does not hold. `details.name` names the key by `formatKey`, `details.kind` is `missing`, `exists` or `revision`. */
  PreconditionFailed: 'PreconditionFailed',
  /** Another object holds a unique string; `details.name` is that string. */
  UniqueViolation: 'UniqueViolation',
  /** The revision asked for is forgotten. */
  Compacted: 'Compacted',
  /** The revision asked for lies in the future. */
  FutureRevision: 'FutureRevision',
  /** The store cannot work now: disk full, connection lost. The message says which; retrying later may help. */
  Unavailable: 'Unavailable',
  /**
   * What is stored is not what was written. `details.name` names the object by `formatKey` where it is known. Everything
   * else can still be read; nothing damaged is ever returned.
   */
  StoreDamaged: 'StoreDamaged',
  /** `load` into a store that holds objects. */
  NotEmpty: 'NotEmpty',
} as const;

/** The reasons of the resource API for the store's error codes. */
export const apiReasonOfStoreError: ReadonlyMap<string, string> = new Map([
  [storeErrorCodes.Unavailable, 'ServiceUnavailable'],
  [storeErrorCodes.PreconditionFailed, 'Conflict'],
  [storeErrorCodes.UniqueViolation, 'Conflict'],
  [storeErrorCodes.Compacted, 'Expired'],
  [storeErrorCodes.FutureRevision, 'Timeout'],
  [storeErrorCodes.StoreDamaged, 'InternalError'],
]);

/** `cluster|resource|namespace|name`, for messages and maps. */
export const formatKey = (key: ObjectKey): string => `${key.cluster}|${key.resource}|${key.namespace}|${key.name}`;
