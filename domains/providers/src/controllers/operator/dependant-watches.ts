import type { KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';

interface Followed {
  readonly informer: Informer;
  readonly wakes: Map<string, () => void>;
}

/**
 * Watches of kinds whose objects keep a provider, only as long as one that is being deleted waits for them. They end
 * before the kind does: a watch of a kind that is gone would try for ever.
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
   * Calls `wake` when objects of exactly these kinds come or go (or change, if that counts), and once when all is known
   * that is there now.
   */
  follow(who: string, refs: readonly ResourceRef[], wake: () => void): void {
    const wanted = new Set(refs.map(idOf));
    for (const [id, followed] of this.#followed) if (!wanted.has(id)) this.#leave(who, id, followed);
    for (const ref of refs) this.#join(who, ref, wake);
  }

  unfollow(who: string): void {
    for (const [id, followed] of this.#followed) this.#leave(who, id, followed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#followed.values()].map(({ informer }) => informer.stop()));
    this.#followed.clear();
  }

  #join(who: string, ref: ResourceRef, wake: () => void): void {
    const known = this.#followed.get(idOf(ref));
    if (known?.wakes.has(who)) return;
    const { informer, wakes } = known ?? this.#start(ref);
    wakes.set(who, wake);
    // What went between the look that led here and the beginning of the watch causes no event.
    informer.synced.then(wake, () => undefined);
  }

  #start(ref: ResourceRef): Followed {
    const informer = createInformer({ client: this.#client, ref, transform: nameOnly });
    const wakes = new Map<string, () => void>();
    const wakeAll = (): void => {
      for (const wake of wakes.values()) wake();
    };
    informer.listen({ added: wakeAll, deleted: wakeAll, ...(this.#hasUpdates && { updated: wakeAll }) });
    informer.start();
    const followed = { informer, wakes };
    this.#followed.set(idOf(ref), followed);
    return followed;
  }

  #leave(who: string, id: string, { informer, wakes }: Followed): void {
    if (!wakes.delete(who) || wakes.size > 0) return;
    this.#followed.delete(id);
    void informer.stop();
  }
}

const idOf = ({ group, version, plural }: ResourceRef): string => `${plural}.${version}.${group}`;

/** Which objects there are is all that counts. */
export function nameOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  const known = Object.entries({ name, namespace, uid, resourceVersion }).filter(([, value]) => value !== undefined);
  return { apiVersion, kind, metadata: Object.fromEntries(known) };
}
