import type { KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';

interface Followed {
  readonly informer: Informer;
  readonly listeners: Map<string, () => void>;
}

/**
 * Watches kinds whose objects block the removal of a provider, while a provider that is being deleted waits for them. A
 * watch is stopped before its kind is deleted: otherwise it would retry without end.
 */
export class DependantWatches implements AsyncDisposable {
  readonly #client: Client;
  readonly #hasUpdates: boolean;
  readonly #followed = new Map<string, Followed>();

  constructor(client: Client, { hasUpdates }: { readonly hasUpdates: boolean }) {
    this.#client = client;
    this.#hasUpdates = hasUpdates;
  }

  /**
   * Calls `enqueue` when objects of exactly these kinds are created or deleted (or changed, if `hasUpdates`), and once
   * after the first list.
   */
  follow(who: string, refs: readonly ResourceRef[], enqueue: () => void): void {
    const wanted = new Set(refs.map(idOf));
    for (const [id, followed] of this.#followed) if (!wanted.has(id)) this.#leave(who, id, followed);
    for (const ref of refs) this.#join(who, ref, enqueue);
  }

  unfollow(who: string): void {
    for (const [id, followed] of this.#followed) this.#leave(who, id, followed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#followed.values()].map(({ informer }) => informer.stop()));
    this.#followed.clear();
  }

  #join(who: string, ref: ResourceRef, enqueue: () => void): void {
    const known = this.#followed.get(idOf(ref));
    if (known?.listeners.has(who)) return;
    const { informer, listeners } = known ?? this.#start(ref);
    listeners.set(who, enqueue);
    // A deletion between the read that led here and the start of the watch causes no event.
    informer.synced.then(enqueue, () => undefined);
  }

  #start(ref: ResourceRef): Followed {
    const informer = createInformer({ client: this.#client, ref, transform: nameOnly });
    const listeners = new Map<string, () => void>();
    const enqueueAll = (): void => {
      for (const enqueue of listeners.values()) enqueue();
    };
    informer.listen({ added: enqueueAll, deleted: enqueueAll, ...(this.#hasUpdates && { updated: enqueueAll }) });
    informer.start();
    const followed = { informer, listeners };
    this.#followed.set(idOf(ref), followed);
    return followed;
  }

  #leave(who: string, id: string, { informer, listeners }: Followed): void {
    if (!listeners.delete(who) || listeners.size > 0) return;
    this.#followed.delete(id);
    void informer.stop();
  }
}

const idOf = ({ group, version, plural }: ResourceRef): string => `${plural}.${version}.${group}`;

/** Only the existence of objects is cached. */
export function nameOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  const known = Object.entries({ name, namespace, uid, resourceVersion }).filter(([, value]) => value !== undefined);
  return { apiVersion, kind, metadata: Object.fromEntries(known) };
}
