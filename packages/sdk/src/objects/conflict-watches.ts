import type { ObjectRef } from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';
import type { ClusterConnection } from './cluster-connection.ts';
import { collectionOf, kindId, placeOf } from './kind-refs.ts';

interface Watched {
  readonly informer: Informer;
  readonly connection: string;
  readonly owner: string;
}

/** Watches single objects of other owners, so that an owner that desires one continues when it is released. */
export class ConflictWatches implements AsyncDisposable {
  readonly #enqueue: (owner: string) => void;
  readonly #watched = new Map<string, Watched>();
  readonly #ending = new Set<Promise<void>>();

  constructor(enqueue: (owner: string) => void) {
    this.#enqueue = enqueue;
  }

  /** Enqueues the owner whenever the object changes or is deleted, until `end`. Calling it again has no effect. */
  watch({ id, client }: ClusterConnection, ref: ObjectRef, owner: string): void {
    const key = keyOf(id, ref, owner);
    if (this.#watched.has(key)) return;
    const { namespace, name } = ref;
    const informer = createInformer({
      client,
      ref: { ...collectionOf(ref), ...(namespace ? { namespace } : {}) },
      fieldSelector: `metadata.name=${name}`,
    });
    const enqueue = (): void => this.#enqueue(owner);
    informer.listen({ updated: enqueue, deleted: enqueue });
    informer.start();
    this.#watched.set(key, { informer, connection: id, owner });
    // The object may have been deleted between the read that found it and the start of the watch.
    void informer.synced.then(
      () => (informer.size === 0 ? enqueue() : undefined),
      () => undefined,
    );
  }

  end({ id }: ClusterConnection, ref: ObjectRef, owner: string): void {
    this.#end(keyOf(id, ref, owner));
  }

  endAll(owner: string): void {
    this.#endWhere(watched => watched.owner === owner);
  }

  forget(connectionId: string): void {
    this.#endWhere(({ connection }) => connection === connectionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#endWhere(() => true);
    await Promise.all(this.#ending);
  }

  #endWhere(isMeant: (watched: Watched) => boolean): void {
    for (const [key, watched] of this.#watched) if (isMeant(watched)) this.#end(key);
  }

  #end(key: string): void {
    const watched = this.#watched.get(key);
    if (watched === undefined) return;
    this.#watched.delete(key);
    const ending = watched.informer.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

const keyOf = (connection: string, ref: ObjectRef, owner: string): string =>
  [connection, owner, kindId(ref), placeOf(ref)].join(' ');
