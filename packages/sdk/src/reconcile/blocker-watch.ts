import type { Client } from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';
import type { BlockingKind } from '../definition/provider-definition.ts';

/** Enqueues objects whose deletion waits until tenants delete their own objects. */
export class BlockerWatch implements AsyncDisposable {
  readonly #enqueue: (key: string) => void;
  readonly #informers = new Map<string, Map<string, Informer>>();

  constructor(enqueue: (key: string) => void) {
    this.#enqueue = enqueue;
  }

  /** Watches kinds on an object's control plane until `stop`. Calling it again adds kinds. */
  start(key: string, client: Client, kinds: readonly BlockingKind[]): void {
    const informers = this.#informers.get(key) ?? new Map<string, Informer>();
    this.#informers.set(key, informers);
    for (const { group, version, plural } of kinds) {
      const name = `${plural}.${group}`;
      if (!informers.has(name)) informers.set(name, this.#watch(key, client, { group, version, plural }));
    }
  }

  async stop(key: string): Promise<void> {
    const informers = [...(this.#informers.get(key)?.values() ?? [])];
    this.#informers.delete(key);
    await Promise.all(informers.map(informer => informer.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#informers.keys()].map(key => this.stop(key)));
  }

  #watch(key: string, client: Client, ref: Informer['ref']): Informer {
    const informer = createInformer({ client, ref });
    informer.listen({ deleted: () => this.#enqueue(key) });
    informer.start();
    // The last object may have been deleted between the read that found it and the start of the watch.
    void informer.synced.then(
      () => this.#enqueue(key),
      () => undefined,
    );
    return informer;
  }
}
