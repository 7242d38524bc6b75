import type { ChandleryError, KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import { parseKey } from '@chandlery/runtime';
import { type AppliedState, isUnchanged } from './applied-state.ts';
import type { DesiredObject } from './desired-object.ts';
import { FollowedCollection } from './followed-collection.ts';
import { placeOf } from './kind-refs.ts';
import { keepOwned } from './owned-fields.ts';
import { instancesOf, managedBySelector, ownerKeysOf } from './ownership.ts';
import { type Health, healthOf } from './readiness.ts';

export interface KindWatchOptions {
  readonly ref: ResourceRef;
  readonly provider: string;
  readonly fieldManager: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for every failure of the watch, which retries by itself. */
  onFailure(error: ChandleryError): void;
  onDrift(key: string): void;
  onChange(key: string): void;
}

/** The state of an object that was applied, or found as desired. */
interface Entry {
  readonly owners: Set<string>;
  desired: DesiredObject;
  uid: string | undefined;
  settled: AppliedState | undefined;
  /** The health that owners were last notified of. */
  health: Health;
  driftedAtMs: number | undefined;
  writing: number;
}

/** The managed objects of one kind on one cluster: a watched copy of them, and the expected state of each. */
export class KindWatch {
  readonly #options: KindWatchOptions;
  readonly #collection: FollowedCollection;
  readonly #entries = new Map<string, Entry>();
  #hasWarned = false;

  constructor(options: KindWatchOptions) {
    const { ref, provider, fieldManager } = options;
    this.#options = options;
    this.#collection = new FollowedCollection({
      ref,
      labelSelector: managedBySelector(provider),
      indexes: { instance: instancesOf },
      transform: keepOwned(fieldManager),
      changed: (current, previous) => this.#changed(current, previous),
      synced: () => this.#judgeAll(),
      onError: error => this.#noteFailure(error),
    });
  }

  get ref(): ResourceRef {
    return this.#options.ref;
  }

  get isSynced(): boolean {
    return this.#collection.isSynced;
  }

  follow(client: Client): void {
    this.#collection.follow(client);
  }

  stop(): Promise<void> {
    return this.#collection.stop();
  }

  /** The latest cached state; undefined means that the server has to be asked. */
  find(place: { readonly namespace?: string | undefined; readonly name: string }): KubeObject | undefined {
    return this.#collection.get(place.namespace, place.name);
  }

  ofInstance(instanceId: string): readonly KubeObject[] {
    return this.#collection.byIndex('instance', instanceId);
  }

  /** Whether an owner is known to have applied or adopted this object, by uid. */
  isKept({ ref }: DesiredObject, { metadata }: KubeObject, owner: string): boolean {
    const entry = this.#entries.get(placeOf(ref));
    return entry !== undefined && entry.owners.has(owner) && entry.uid === metadata.uid;
  }

  /** How the server stored this content before; undefined when it is not known. */
  settledFor({ ref, hash }: DesiredObject): AppliedState | undefined {
    const settled = this.#entries.get(placeOf(ref))?.settled;
    return settled?.hash === hash ? settled : undefined;
  }

  /** Suspends drift detection for an object until the returned function is called. */
  startWriting({ ref }: DesiredObject): () => void {
    const place = placeOf(ref);
    const entry = this.#entries.get(place);
    if (entry === undefined) return () => undefined;
    entry.writing += 1;
    return () => {
      entry.writing -= 1;
    };
  }

  /**
   * Stores the state of an object that is as desired. Returns since when it had deviated, if the watch detected that.
   */
  keep(
    desired: DesiredObject,
    live: KubeObject,
    kept: { readonly owner: string; readonly settled: AppliedState | undefined },
  ): number | undefined {
    const place = placeOf(desired.ref);
    const known: Partial<Entry> = this.#entries.get(place) ?? {};
    const { driftedAtMs, owners = new Set<string>(), writing = 0 } = known;
    const health = healthOf(live, desired.isReady);
    const now = { desired, uid: live.metadata.uid, settled: kept.settled, health, driftedAtMs: undefined };
    // The entry keeps its identity: a write in progress refers to it.
    const entry: Entry = Object.assign(known, { owners: owners.add(kept.owner), writing, ...now });
    this.#entries.set(place, entry);
    this.#collection.note(live);
    this.#judge(place, entry);
    return driftedAtMs;
  }

  /** Removes an owner from all entries: its objects are no longer checked for drift. */
  dropAll(owner: string): void {
    for (const [place, { owners }] of this.#entries) {
      if (owners.delete(owner) && owners.size === 0) this.#entries.delete(place);
    }
  }

  /** Removes an owner from an entry: the object is no longer checked for drift. */
  drop(place: { readonly namespace?: string | undefined; readonly name: string }, owner: string): void {
    const entry = this.#entries.get(placeOf(place));
    entry?.owners.delete(owner);
    if (entry?.owners.size === 0) this.#entries.delete(placeOf(place));
  }

  #changed(current: KubeObject | undefined, previous: KubeObject | undefined): void {
    const object = current ?? previous;
    if (object === undefined) return;
    const place = placeOf(object.metadata);
    const entry = this.#entries.get(place);
    if (entry === undefined) return this.#noteUnknown(current, previous);
    if (entry.writing === 0) this.#judge(place, entry);
  }

  /** Notifies the owners of an undesired object of its deletion, for which they may wait. */
  #noteUnknown(current: KubeObject | undefined, previous: KubeObject | undefined): void {
    if (current !== undefined || previous === undefined) return;
    for (const key of ownerKeysOf(previous)) this.#options.onChange(key);
  }

  /** Compares the watched state with the stored one. */
  #judge(place: string, entry: Entry): void {
    if (!this.isSynced) return;
    const live = this.find(parseKey(place));
    if (live === undefined || this.#isChanged(entry, live)) return this.#noteDrift(entry);
    const health = healthOf(live, entry.desired.isReady);
    if (health.phase === entry.health.phase && health.message === entry.health.message) return;
    entry.health = health;
    for (const key of entry.owners) this.#options.onChange(key);
  }

  /** Deletions before the first list cause no event. */
  #judgeAll(): void {
    for (const [place, entry] of this.#entries) if (entry.writing === 0) this.#judge(place, entry);
  }

  #isChanged({ settled }: Entry, live: KubeObject): boolean {
    return settled !== undefined && live.metadata.deletionTimestamp === undefined && !isUnchanged(settled, live);
  }

  /** Without the right to watch, only reconciles detect deviations: logs that as a warning, once. */
  #noteFailure(error: ChandleryError): void {
    this.#options.onFailure(error);
    const fields = { plural: this.ref.plural, code: error.code, error: error.message };
    const isFirst = error.code === 'Forbidden' && !this.#hasWarned;
    this.#hasWarned ||= isFirst;
    this.#options.logger[isFirst ? 'warn' : 'debug']('managed objects cannot be watched', fields);
  }

  #noteDrift(entry: Entry): void {
    entry.driftedAtMs ??= this.#options.clock.now().getTime();
    for (const key of entry.owners) this.#options.onDrift(key);
  }
}
