import { type EncodedResource, isWholeSet, type ResourceType } from '../model/resource.ts';
import type { ErrorDetail } from './messages.ts';
import type { NameSet } from './name-index.ts';
import type { Snapshot } from './snapshot-cache.ts';

/** A refusal, as status shows it. */
export interface Refusal extends ErrorDetail {
  readonly atMs: number;
}

/** A response that has not been answered yet. */
interface Flight {
  /** When the oldest change that it tells became known; undefined when it tells none. */
  readonly changedAt: number | undefined;
}

const nothingHeld: ReadonlyMap<string, EncodedResource> = new Map();

/**
 * What one stream has asked for of one type, what it has been told, and what it is yet to be told. There are five on a
 * stream at most, and nothing in an idle one belongs to it alone: names and snapshots are shared.
 *
 * Of a *tracked* subscription (a type of which the control plane decides the whole set, or a wildcard) we know the
 * snapshot that the client has, so that differences are exact. Of the others we only know which names are to be told
 * again.
 */
export class Substream<Owner = unknown> {
  readonly owner: Owner;
  readonly type: ResourceType;

  names: NameSet<Substream<Owner>> | undefined;
  isWildcard = false;
  /** The list of names that the subscription was made of, when another request with it would change nothing. */
  requested: readonly string[] | undefined;
  /** Some request has named something: an empty list means nothing from then on. */
  hasNamed = false;

  /** What a tracked subscription's client has; undefined before the first response. */
  sent: Snapshot | undefined;
  /** What it has besides, because it may still be in use, although it is gone. */
  held = nothingHeld;
  /** What the latest response of an untracked subscription told; undefined when that does not matter any longer. */
  recent: ReadonlyMap<string, EncodedResource> | undefined;
  /** What a client had when it came, until it gets its first response: versions by name. */
  known: ReadonlyMap<string, string> | undefined;

  /** It came with all that it asked for, so that nothing had to be sent. */
  cameWithAll = false;

  /** A tracked subscription's snapshot may be outdated. */
  isOutdated = false;
  /** Names that an untracked subscription may have to be told again. */
  dirty: ReadonlySet<string> | undefined;
  /** Names that are told even if nothing is new about them. */
  forced: ReadonlySet<string> | undefined;
  /** A request waits for its answer. */
  isAsked = false;
  /** When the oldest change that is yet to be told became known. */
  changedAt: number | undefined;

  nonce: string | undefined;
  flight: Flight | undefined;
  sentVersion: string | undefined;
  sentAtMs = 0;
  ackedVersion: string | undefined;
  ackedAtMs = 0;
  refusal: Refusal | undefined;
  sentCount = 0;
  ackedCount = 0;
  refusedCount = 0;

  constructor(owner: Owner, type: ResourceType) {
    this.owner = owner;
    this.type = type;
  }

  get isTracked(): boolean {
    return this.isWildcard || isWholeSet(this.type);
  }

  get isSubscribed(): boolean {
    return this.isWildcard || this.names !== undefined;
  }

  /** It has what it asked for, or was told that there is none. */
  get isTold(): boolean {
    return this.nonce !== undefined || this.cameWithAll;
  }

  get hasWork(): boolean {
    return this.isAsked || this.isOutdated || this.dirty !== undefined || this.forced !== undefined;
  }

  covers(name: string): boolean {
    return this.isWildcard || this.names?.names.has(name) === true;
  }

  /** Names that are covered have changed. The set is shared: it is not changed here or elsewhere. */
  markChanged(names: ReadonlySet<string>, changedAt: number): void {
    if (this.isTracked) this.isOutdated = true;
    else this.dirty = union(this.dirty, names);
    this.changedAt = Math.min(this.changedAt ?? changedAt, changedAt);
  }

  /** Names are to be told in any case. */
  force(names: ReadonlySet<string>): void {
    if (names.size > 0) this.forced = union(this.forced, names);
  }

  /** Everything that was to be told is told, or turned out to be known. */
  settle(): void {
    this.isOutdated = false;
    this.isAsked = false;
    this.dirty = undefined;
    this.forced = undefined;
    this.known = undefined;
    this.changedAt = undefined;
  }

  hold(resources: readonly EncodedResource[]): void {
    this.held = resources.length === 0 ? nothingHeld : new Map(resources.map(resource => [resource.name, resource]));
  }
}

function union(some: ReadonlySet<string> | undefined, more: ReadonlySet<string>): ReadonlySet<string> {
  return some === undefined || some.isSubsetOf(more) ? more : more.isSubsetOf(some) ? some : some.union(more);
}
