import type { ChandleryError, KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { createInformer, type IndexFunction, type Informer, keyOf } from '@chandlery/runtime';

export interface FollowedCollectionOptions {
  readonly ref: ResourceRef;
  /** Default: everything. */
  readonly labelSelector?: string;
  readonly indexes?: Readonly<Record<string, IndexFunction>>;
  readonly transform?: (object: KubeObject) => KubeObject;
  /**
   * Called for each added, changed or deleted object, the initial ones included, after the collection has been updated.
   */
  readonly changed: (current: KubeObject | undefined, previous: KubeObject | undefined) => void;
  /** Called when everything was read, also after a change of clients. */
  readonly synced?: () => void;
  readonly onError?: (error: ChandleryError) => void;
}

/** Kinds that are not served yet are retried; the interval suits a fleet of clusters. */
const backOff = { baseMs: 200, maxMs: 5000, jitter: 0.5 };

/**
 * A collection that outlives its client: with another client (a new token) it is read again while the old copy is still
 * served, and only differences are notified.
 */
export class FollowedCollection {
  readonly #options: FollowedCollectionOptions;
  readonly #noted = new Map<string, KubeObject>();
  readonly #ending = new Set<Promise<void>>();
  #client: Client | undefined;
  #current: Informer | undefined;
  #next: Informer | undefined;
  #unlisten: () => void = () => undefined;

  constructor(options: FollowedCollectionOptions) {
    this.#options = options;
  }

  get isSynced(): boolean {
    return this.#current !== undefined;
  }

  /** Shows an object as the server returned it, until the watch has caught up. */
  note(object: KubeObject): void {
    if (!this.#hasReached(object)) this.#noted.set(keyOf(object), object);
  }

  /** Reads with this client from now on. No effect when it is used already. */
  follow(client: Client): void {
    if (client === this.#client) return;
    this.#client = client;
    const { ref, labelSelector, transform, indexes, onError } = this.#options;
    const informer = createInformer({ client, ref, labelSelector, transform, indexes, backOff, onError });
    this.#end(this.#next);
    this.#next = informer;
    informer.start();
    informer.synced.then(
      () => this.#take(informer),
      () => undefined,
    );
  }

  get(namespace: string | undefined, name: string): KubeObject | undefined {
    const key = namespace ? `${namespace}/${name}` : name;
    const noted = this.#noted.get(key);
    if (noted !== undefined && !this.#hasReached(noted)) return noted;
    this.#noted.delete(key);
    return this.#current?.get(namespace, name);
  }

  list(): readonly KubeObject[] {
    return this.#current?.list() ?? [];
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    return this.#current?.byIndex(index, value) ?? [];
  }

  async stop(): Promise<void> {
    this.#unlisten();
    this.#end(this.#next);
    this.#end(this.#current);
    this.#noted.clear();
    this.#client = undefined;
    this.#next = undefined;
    this.#current = undefined;
    await Promise.all(this.#ending);
  }

  #hasReached({ metadata }: KubeObject): boolean {
    const { lastSyncResourceVersion = '' } = this.#current ?? {};
    return lastSyncResourceVersion !== '' && isNotOlder(lastSyncResourceVersion, metadata.resourceVersion ?? '');
  }

  #take(informer: Informer): void {
    if (informer !== this.#next) return;
    const before = this.#current;
    this.#unlisten();
    this.#current = informer;
    this.#next = undefined;
    this.#end(before);
    this.#notifyFrom(informer, before);
    this.#options.synced?.();
  }

  /** Notifies of the initial objects of a new informer, as far as they differ from those of the previous one. */
  #notifyFrom(informer: Informer, before: Informer | undefined): void {
    const { changed } = this.#options;
    const addedOrKnown = (object: KubeObject, isFromList: boolean): void => {
      const known = isFromList ? before?.get(object.metadata.namespace, object.metadata.name ?? '') : undefined;
      if (known === undefined || versionOf(known) !== versionOf(object)) changed(object, known);
    };
    this.#unlisten = informer.listen({
      added: (object, { isFromList }) => addedOrKnown(object, isFromList),
      updated: (object, previous) => changed(object, previous),
      deleted: object => changed(undefined, object),
    });
    for (const old of before?.list() ?? []) {
      if (informer.get(old.metadata.namespace, old.metadata.name ?? '') === undefined) changed(undefined, old);
    }
  }

  #end(informer: Informer | undefined): void {
    if (informer === undefined) return;
    const ending = informer.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

const versionOf = ({ metadata }: KubeObject): string => `${metadata.uid}/${metadata.resourceVersion}`;

const decimal = /^\d+$/;

/** Whether version `a` is at least as new as `b`. Versions that cannot be compared count as newer. */
function isNotOlder(a: string, b: string): boolean {
  if (!decimal.test(a) || !decimal.test(b)) return true;
  return BigInt(a) >= BigInt(b);
}
