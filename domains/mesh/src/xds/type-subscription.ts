import { type EncodedResource, isWholeSet, type ResourceType } from '../model/resource.ts';
import { Delivery } from './delivery.ts';
import type { NameSet } from './name-index.ts';
import type { Snapshot } from './snapshot-cache.ts';

const nothingRetained: ReadonlyMap<string, EncodedResource> = new Map();

/**
 * The subscription of one stream to one resource type: what the client asked for, what it has, and what is pending. A
 * stream has at most five, and an idle one owns almost no memory: names and snapshots are shared with other streams.
 *
 * A *tracked* subscription (a wildcard, or a type whose whole set the control plane decides) knows the snapshot that the
 * client has, so that differences are exact. Any other subscription only knows which names have to be sent again.
 */
export class TypeSubscription<Owner = unknown> {
  readonly owner: Owner;
  readonly type: ResourceType;
  readonly delivery = new Delivery();

  names: NameSet<TypeSubscription<Owner>> | undefined;
  isWildcard = false;
  /** The list of names of the last request, if the same list again would change nothing. */
  lastNames: readonly string[] | undefined;
  /** Whether some request has named a resource: from then on, an empty list means no resource. */
  hasNamedResources = false;

  /** The resources that the client of a tracked subscription has; undefined before the first response. */
  snapshot: Snapshot | undefined;
  /** Removed resources that the client still has, because its routes may use them. */
  retained = nothingRetained;
  /** The resources of the latest response of an untracked subscription; undefined when they are no longer needed. */
  lastSent: ReadonlyMap<string, EncodedResource> | undefined;
  /** Versions by name that a reconnecting client has, until its first response. */
  clientVersions: ReadonlyMap<string, string> | undefined;
  /** Whether the client connected with every resource that it asked for, so that nothing had to be sent. */
  wasCurrentOnConnect = false;

  /** Whether the snapshot of a tracked subscription may be outdated. */
  isOutdated = false;
  /** Names of an untracked subscription that may have changed. */
  dirty: ReadonlySet<string> | undefined;
  /** Names that are sent even if they have not changed. */
  forced: ReadonlySet<string> | undefined;
  /** Whether a request waits for a response. */
  isRequested = false;
  /** When the oldest pending change became known. */
  changedAt: number | undefined;

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

  /** Whether the client has received what it asked for, or had it when it connected. */
  get isAnswered(): boolean {
    return this.delivery.nonce !== undefined || this.wasCurrentOnConnect;
  }

  /** Whether there may be something to send. */
  get hasPending(): boolean {
    return this.isRequested || this.isOutdated || this.dirty !== undefined || this.forced !== undefined;
  }

  covers(name: string): boolean {
    return this.isWildcard || this.names?.names.has(name) === true;
  }

  /** Marks covered names as changed. The set is shared and never modified. */
  markChanged(names: ReadonlySet<string>, changedAt: number): void {
    if (this.isTracked) this.isOutdated = true;
    else this.dirty = union(this.dirty, names);
    this.changedAt = Math.min(this.changedAt ?? changedAt, changedAt);
  }

  /** Marks names to be sent even if they have not changed. */
  force(names: ReadonlySet<string>): void {
    if (names.size > 0) this.forced = union(this.forced, names);
  }

  /** To be called when everything pending is sent, or turned out to be known to the client. */
  clearPending(): void {
    this.isOutdated = false;
    this.isRequested = false;
    this.dirty = undefined;
    this.forced = undefined;
    this.clientVersions = undefined;
    this.changedAt = undefined;
  }

  retain(resources: readonly EncodedResource[]): void {
    this.retained =
      resources.length === 0 ? nothingRetained : new Map(resources.map(resource => [resource.name, resource]));
  }
}

function union(some: ReadonlySet<string> | undefined, more: ReadonlySet<string>): ReadonlySet<string> {
  return some === undefined || some.isSubsetOf(more) ? more : more.isSubsetOf(some) ? some : some.union(more);
}
