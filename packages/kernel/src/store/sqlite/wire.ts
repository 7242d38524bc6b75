import type { ErrorDetails } from '@chandlery/api/errors';
import { normaliseTerms } from '../commit-rules.ts';
import { encodeDeleteExpectation, encodeExpectation } from '../expectation.ts';
import type {
  Check,
  Commit,
  Damage,
  Delete,
  KeptVersion,
  ObjectKey,
  Put,
  RevisionBounds,
  SnapshotObject,
} from '../store.ts';
import type { UpgradePosition } from './upgrade.ts';

/**
 * What the main thread and the writer say to each other.
 *
 * Commits travel as one JSON text and one buffer of all values for each turn of the event loop: far cheaper than
 * cloning objects, and cloning a small `Buffer` would copy the whole pool that it lives in.
 */
export type WriterRequest =
  | { readonly type: 'commits'; readonly firstTicket: number; readonly text: string; readonly values: Uint8Array }
  | { readonly type: 'call'; readonly ticket: number; readonly call: WriterCall };

/** Everything but commits. One at a time, each in a transaction of its own. */
export type WriterCall =
  | { readonly name: 'putFact'; readonly fact: string; readonly value: string }
  | { readonly name: 'compact'; readonly revision: number }
  | { readonly name: 'sweep'; readonly limit: number }
  | { readonly name: 'purge'; readonly cluster: string; readonly limit: number }
  | { readonly name: 'purgeHistory'; readonly cluster: string; readonly limit: number }
  | { readonly name: 'keepRevisions'; readonly versions: readonly KeptVersion[]; readonly maxPerObject: number }
  | { readonly name: 'trimRevisions'; readonly bounds: RevisionBounds; readonly limit: number }
  | { readonly name: 'beginLoad' }
  | { readonly name: 'load'; readonly objects: readonly SnapshotObject[] }
  | { readonly name: 'endLoad'; readonly revision: number }
  | { readonly name: 'abortLoad' }
  | { readonly name: 'open'; readonly progress: SharedArrayBuffer }
  | { readonly name: 'upgrade'; readonly position: UpgradePosition; readonly limit: number }
  | { readonly name: 'probe' }
  | { readonly name: 'limitPages'; readonly pages: number }
  | { readonly name: 'close' };

/** What the writer answers when it has opened the database. */
export interface OpenedDatabase {
  readonly damage: readonly Damage[];
  /** Rows of an earlier version have no checksums yet. */
  readonly needsUpgrade: boolean;
}

export interface WriterReply {
  /** Ticket, then the first revision, by turns. */
  readonly committed: readonly number[];
  readonly answered: readonly { readonly ticket: number; readonly value: unknown }[];
  readonly failed: readonly { readonly ticket: number; readonly failure: WireFailure }[];
}

/** An error between threads; the main thread makes a `ChandleryError` of it. */
export interface WireFailure {
  readonly code: string;
  readonly message: string;
  readonly details: ErrorDetails;
}

export interface WireCheck extends ObjectKey {
  /** See `encodeExpectation`. */
  readonly expect: number;
}

export interface WireWrite extends WireCheck {
  /** A JSON list; undefined for a delete. */
  readonly terms?: string;
  readonly unique?: readonly string[] | undefined;
  readonly expiresAt?: number | undefined;
  readonly splice: number;
  /** How many bytes of the values buffer belong to this write; they follow those of the write before. */
  readonly size: number;
}

export interface WireCommit {
  readonly writes: readonly WireWrite[];
  /** What must hold besides, as places in the list of all checks. */
  readonly checks?: readonly number[] | undefined;
}

/** Commits that travel together. */
export interface WireCommits {
  readonly commits: WireCommit[];
  /** Each of them once: objects that are made at the same time often depend on the same things. */
  readonly checks: WireCheck[];
}

/** Adds a commit. Callers may pass richer objects as keys, so the four fields are named. What is undefined does not travel. */
export function addCommit({ commits, checks: all }: WireCommits, { writes, checks }: Commit): void {
  commits.push({
    writes: writes.map(write => (write.type === 'put' ? encodePut(write) : encodeDelete(write))),
    checks: checks?.map(check => placeOf(all, check)),
  });
}

/** So many are looked at: a commit of thousands may depend on thousands. */
const maxCompared = 8;

function placeOf(all: WireCheck[], { key, expect: expectation }: Check): number {
  const expect = encodeExpectation(expectation);
  for (let place = all.length - 1; place >= Math.max(0, all.length - maxCompared); place--) {
    const other = all[place];
    if (other !== undefined && other.expect === expect && isSameKey(other, key)) return place;
  }
  const { cluster, resource, namespace, name } = key;
  return all.push({ cluster, resource, namespace, name, expect }) - 1;
}

/** Whether both are about the same object. */
export const isSameKey = (one: ObjectKey, other: ObjectKey): boolean =>
  one.name === other.name &&
  one.namespace === other.namespace &&
  one.resource === other.resource &&
  one.cluster === other.cluster;

const encodePut = ({ key, expect, value, terms, unique, expiresAt }: Put): WireWrite => ({
  cluster: key.cluster,
  resource: key.resource,
  namespace: key.namespace,
  name: key.name,
  expect: encodeExpectation(expect),
  terms: JSON.stringify(normaliseTerms(terms)),
  unique: unique?.length ? withoutRepetition(unique) : undefined,
  expiresAt,
  splice: value.splice,
  size: value.bytes.length,
});

const withoutRepetition = (texts: readonly string[]): readonly string[] =>
  texts.length === 1 ? texts : [...new Set(texts)];

const encodeDelete = ({ key, expect, value }: Delete): WireWrite => ({
  cluster: key.cluster,
  resource: key.resource,
  namespace: key.namespace,
  name: key.name,
  expect: encodeDeleteExpectation(expect),
  splice: value.splice,
  size: value.bytes.length,
});
