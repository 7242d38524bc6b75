import { type ResourceType, resourceTypes } from '../model/resource.ts';
import type { ProxyView, ViewChange } from '../ports.ts';
import { DebounceWindow } from './debounce-window.ts';
import { NameIndex } from './name-index.ts';
import { PendingChanges } from './pending-changes.ts';
import { SnapshotCache } from './snapshot-cache.ts';
import type { StreamSettings } from './stream-settings.ts';
import type { Substream } from './substream.ts';

/** Who has asked for what of one type. */
interface Subscribers<Owner> {
  readonly index: NameIndex<Substream<Owner>>;
  readonly wildcards: Set<Substream<Owner>>;
  /** Goes up with each change. */
  generation: number;
}

interface HubOptions<Owner> {
  /** Tells hubs apart. */
  readonly id: number;
  readonly view: ProxyView;
  readonly settings: Pick<StreamSettings, 'debounce' | 'timers' | 'nowMs'>;
  /** Has something to be told. */
  readonly onPending: (owner: Owner) => void;
  /** All who have something to be told have been named. */
  readonly onPush: () => void;
}

/**
 * Stands between a view and the streams that are told from it. Gathers the view's changes for a while, then finds those
 * whom they concern: the cost of a change is that of telling them, however many others there are.
 */
export class ViewHub<Owner> implements Disposable {
  readonly id: number;
  readonly view: ProxyView;
  readonly snapshots: SnapshotCache;
  readonly #options: HubOptions<Owner>;
  readonly #subscribers: Readonly<Record<ResourceType, Subscribers<Owner>>>;
  /** Only endpoints have changed: many, harmless and wanted soon. */
  readonly #endpoints = new PendingChanges();
  readonly #endpointsWindow: DebounceWindow;
  /** Everything else, and the endpoints that changed together with it. */
  readonly #config = new PendingChanges();
  readonly #configWindow: DebounceWindow;
  readonly #unsubscribe: () => void;
  /** How many streams are told from it. */
  streamCount = 0;

  constructor(options: HubOptions<Owner>) {
    this.id = options.id;
    this.view = options.view;
    this.#options = options;
    this.snapshots = new SnapshotCache(options.view);
    this.#subscribers = byType(() => ({ index: new NameIndex(), wildcards: new Set(), generation: 0 }));
    const { debounce, timers, nowMs } = options.settings;
    const window = { urgentMs: debounce.urgentMs, timers, nowMs };
    this.#endpointsWindow = new DebounceWindow({
      ...window,
      times: debounce.endpoints,
      onClose: () => this.#push([this.#endpoints]),
    });
    this.#configWindow = new DebounceWindow({ ...window, times: debounce.config, onClose: () => this.#pushAll() });
    this.#unsubscribe = options.view.subscribe(change => this.#gather(change));
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#endpointsWindow.clear();
    this.#configWindow.clear();
  }

  index(type: ResourceType): NameIndex<Substream<Owner>> {
    return this.#subscribers[type].index;
  }

  /** Different names that its streams have asked for. */
  get nameCount(): number {
    return resourceTypes.reduce((sum, type) => sum + this.index(type).nameCount, 0);
  }

  /** What its streams have asked for together; those that share a set of names count once. */
  get subscriptionCount(): number {
    return resourceTypes.reduce((sum, type) => sum + this.index(type).subscriptionCount, 0);
  }

  /** Goes up with each change of a type. */
  generation(type: ResourceType): number {
    return this.#subscribers[type].generation;
  }

  /** Stands for what there is of a type in the view at present. */
  stateKey(type: ResourceType): string {
    return `${this.id} ${type} ${this.#subscribers[type].generation} ${this.view.version(type)}`;
  }

  get hasPending(): boolean {
    return this.#endpointsWindow.isOpen || this.#configWindow.isOpen;
  }

  /** To be called when a substream has begun or ceased to be a wildcard. */
  noteWildcard(substream: Substream<Owner>): void {
    const { wildcards } = this.#subscribers[substream.type];
    if (substream.isWildcard) wildcards.add(substream);
    else wildcards.delete(substream);
  }

  leave(substream: Substream<Owner>): void {
    const { index, wildcards } = this.#subscribers[substream.type];
    wildcards.delete(substream);
    if (substream.names !== undefined) index.leave(substream, substream.names);
  }

  /**
   * Marks what has changed but is still being gathered, for a substream that is about to be told something anyway: what
   * one type says must fit what the others say.
   */
  markPending(substream: Substream<Owner>): void {
    for (const pending of [this.#endpoints, this.#config]) {
      const names = pending.of(substream.type);
      const covered = new Set(names?.values().filter(name => substream.covers(name)));
      if (covered.size > 0) substream.markChanged(covered, pending.since);
    }
  }

  #gather(change: ViewChange): void {
    for (const type of change.changed.keys()) {
      this.#subscribers[type].generation++;
      this.snapshots.forget(type);
    }
    const isOnlyEndpoints = change.changed.size === 1 && change.changed.has('endpoints');
    (isOnlyEndpoints ? this.#endpoints : this.#config).add(change);
    (isOnlyEndpoints ? this.#endpointsWindow : this.#configWindow).add(change.isUrgent);
  }

  #pushAll(): void {
    this.#endpointsWindow.clear();
    this.#push([this.#config, this.#endpoints]);
  }

  #push(changes: readonly PendingChanges[]): void {
    for (const pending of changes) {
      for (const type of resourceTypes) this.#markType(type, pending);
      pending.clear();
    }
    this.#options.onPush();
  }

  #markType(type: ResourceType, pending: PendingChanges): void {
    const names = pending.of(type);
    if (names === undefined) return;
    const { index, wildcards } = this.#subscribers[type];
    for (const substream of wildcards) this.#mark(substream, names, pending.since);
    for (const [{ members }, concerned] of index.affected(names))
      for (const substream of members) this.#mark(substream, concerned, pending.since);
  }

  #mark(substream: Substream<Owner>, names: ReadonlySet<string>, since: number): void {
    substream.markChanged(names, since);
    this.#options.onPending(substream.owner);
  }
}

function byType<T>(make: () => T): Record<ResourceType, T> {
  return { cluster: make(), endpoints: make(), listener: make(), route: make(), secret: make() };
}
