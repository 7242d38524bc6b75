import { type ResourceType, resourceTypes } from '../model/resource.ts';
import type { ProxyView, ViewChange } from '../ports.ts';
import { DebounceWindow } from './debounce-window.ts';
import { NameIndex } from './name-index.ts';
import { PendingChanges } from './pending-changes.ts';
import { SnapshotCache } from './snapshot-cache.ts';
import type { StreamSettings } from './stream-settings.ts';
import type { TypeSubscription } from './type-subscription.ts';

/** The subscriptions to one type. */
interface Subscribers<Owner> {
  readonly index: NameIndex<TypeSubscription<Owner>>;
  readonly wildcards: Set<TypeSubscription<Owner>>;
  /** Increases with each change. */
  generation: number;
}

interface HubOptions<Owner> {
  /** Identifies the hub. */
  readonly id: number;
  readonly view: ProxyView;
  readonly settings: Pick<StreamSettings, 'debounce' | 'timers' | 'nowMs'>;
  /** Called with the owner of a subscription that has pending changes. */
  readonly onPending: (owner: Owner) => void;
  /** Called when all affected subscriptions are marked. */
  readonly onPush: () => void;
}

/**
 * Distributes the changes of a view to its streams. Debounces changes, then finds the affected subscriptions: the cost
 * of a change is proportional to these, independent of all others.
 */
export class ViewHub<Owner> implements Disposable {
  readonly id: number;
  readonly view: ProxyView;
  readonly snapshots: SnapshotCache;
  readonly #options: HubOptions<Owner>;
  readonly #subscribers: Readonly<Record<ResourceType, Subscribers<Owner>>>;
  /** Changes of endpoints only: frequent, and pushed soon. */
  readonly #endpoints = new PendingChanges();
  readonly #endpointsWindow: DebounceWindow;
  /** All other changes, with the endpoints that changed together with them. */
  readonly #config = new PendingChanges();
  readonly #configWindow: DebounceWindow;
  readonly #unsubscribe: () => void;
  /** Number of streams of the view. */
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
    this.#unsubscribe = options.view.subscribe(change => this.#collect(change));
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#endpointsWindow.clear();
    this.#configWindow.clear();
  }

  index(type: ResourceType): NameIndex<TypeSubscription<Owner>> {
    return this.#subscribers[type].index;
  }

  /** Number of distinct names that streams have subscribed to. */
  get nameCount(): number {
    return resourceTypes.reduce((sum, type) => sum + this.index(type).nameCount, 0);
  }

  /** Number of subscribed names of all streams; shared sets count once. */
  get subscriptionCount(): number {
    return resourceTypes.reduce((sum, type) => sum + this.index(type).subscriptionCount, 0);
  }

  /** Increases with each change of a type. */
  generation(type: ResourceType): number {
    return this.#subscribers[type].generation;
  }

  /** Identifies the current state of a type in the view. */
  stateKey(type: ResourceType): string {
    return `${this.id} ${type} ${this.#subscribers[type].generation} ${this.view.version(type)}`;
  }

  get hasPending(): boolean {
    return this.#endpointsWindow.isOpen || this.#configWindow.isOpen;
  }

  /** To be called when a subscription became a wildcard or ceased to be one. */
  noteWildcard(subscription: TypeSubscription<Owner>): void {
    const { wildcards } = this.#subscribers[subscription.type];
    if (subscription.isWildcard) wildcards.add(subscription);
    else wildcards.delete(subscription);
  }

  leave(subscription: TypeSubscription<Owner>): void {
    const { index, wildcards } = this.#subscribers[subscription.type];
    wildcards.delete(subscription);
    if (subscription.names !== undefined) index.leave(subscription, subscription.names);
  }

  /** Marks debounced changes of a subscription that is about to be sent anyway, so that all types are consistent. */
  markPending(subscription: TypeSubscription<Owner>): void {
    for (const pending of [this.#endpoints, this.#config]) {
      const names = pending.of(subscription.type);
      const covered = new Set(names?.values().filter(name => subscription.covers(name)));
      if (covered.size > 0) subscription.markChanged(covered, pending.since);
    }
  }

  #collect(change: ViewChange): void {
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
    for (const subscription of wildcards) this.#mark(subscription, names, pending.since);
    for (const [{ members }, concerned] of index.affected(names))
      for (const subscription of members) this.#mark(subscription, concerned, pending.since);
  }

  #mark(subscription: TypeSubscription<Owner>, names: ReadonlySet<string>, since: number): void {
    subscription.markChanged(names, since);
    this.#options.onPending(subscription.owner);
  }
}

function byType<T>(make: () => T): Record<ResourceType, T> {
  return { cluster: make(), endpoints: make(), listener: make(), route: make(), secret: make() };
}
