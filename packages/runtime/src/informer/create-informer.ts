import { ChandleryError, type KubeObject, toError } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import type { IndexFunction, Informer, InformerListener, InformerOptions } from './informer.ts';
import { cacheKey } from './object-cache.ts';
import { Reflector } from './reflector.ts';
import { SyncedCache } from './synced-cache.ts';

/** Creates an informer. Nothing is read before `start`; the caller disposes of it. */
export function createInformer<T extends KubeObject = KubeObject>(options: InformerOptions<T>): Informer<T> {
  return new WatchingInformer(options);
}

class WatchingInformer<T extends KubeObject> implements Informer<T> {
  readonly ref: ResourceRef;
  readonly #cache: SyncedCache<T>;
  readonly #reflector: Reflector<T>;
  readonly #synced = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  #isSynced = false;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    this.ref = options.ref;
    this.#cache = new SyncedCache(thrown => options.onError?.(toError(thrown)));
    this.#reflector = new Reflector(options, this.#cache, () => this.#noteSynced());
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) this.addIndex(name, valuesOf);
    // Callers need not wait for it, and then its rejection would be unhandled.
    this.#synced.promise.catch(() => {});
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get lastSyncResourceVersion(): string {
    return this.#cache.resourceVersion;
  }

  get size(): number {
    return this.#cache.objects.size;
  }

  start(): void {
    if (this.#stop.signal.aborted) throw stopped(this.ref);
    this.#running ??= this.#reflector.run(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#synced.reject(stopped(this.ref));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#cache.objects.get(cacheKey(namespace, name));
  }

  list(namespace?: string): readonly T[] {
    return this.#cache.objects.list(namespace);
  }

  byIndex(name: string, value: string): readonly T[] {
    return this.#cache.objects.byIndex(name, value);
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#cache.objects.addIndex(name, valuesOf);
  }

  listen(listener: InformerListener<T>): () => void {
    return this.#cache.listeners.add(listener, this.#cache.objects.list());
  }

  #noteSynced(): void {
    this.#isSynced = true;
    this.#synced.resolve();
  }
}

const stopped = ({ plural }: ResourceRef): ChandleryError =>
  new ChandleryError('Stopped', `the informer of ${plural} was stopped`);
