import { setImmediate as turn } from 'node:timers/promises';
import { apiError, ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client, KubeList, ListOptions, ResourceRef, WatchEvent, WatchOptions } from '@chandlery/client';

/** How a server handles the request for initial events: serves it, rejects it, or ignores it as old ones do. */
export type InitialEventsSupport = 'yes' | 'refuses' | 'overlooks';

interface OpenWatch {
  /** What is still to be sent. */
  readonly pending: WatchEvent[];
  isStalled: boolean;
  end?: { readonly error?: ChandleryError };
  wake: () => void;
}

export const testRef: ResourceRef = { group: '', version: 'v1', plural: 'configmaps' };

/** A collection in memory with a history, and a client of it that fails in all the ways that a server and a network can. */
export class TestCollection {
  readonly client: Client;
  support: InitialEventsSupport = 'yes';
  /** How many lists and watches were asked for. */
  readonly calls = { lists: 0, watches: 0 };
  readonly #objects = new Map<string, KubeObject>();
  #history: WatchEvent[] = [];
  #version = 100;
  #oldest = 100;
  readonly #open = new Set<OpenWatch>();
  readonly #failures = { list: [] as ChandleryError[], watch: [] as ChandleryError[] };

  constructor() {
    // Informers use nothing else of a client.
    const client: Pick<Client, 'list' | 'watch'> = {
      list: (_ref, options) => this.#list(options) as never,
      watch: (_ref, options) => this.#watch(options) as never,
    };
    this.client = client as Client;
  }

  get objects(): KubeObject[] {
    return [...this.#objects.values()];
  }

  get openWatches(): number {
    return this.#open.size;
  }

  put(name: string, data: object = {}, namespace = 'default'): void {
    const previous = this.#objects.get(`${namespace}/${name}`);
    const resourceVersion = String(++this.#version);
    const uid = previous?.metadata.uid ?? `uid-${resourceVersion}`;
    const metadata = { name, namespace, uid, resourceVersion, managedFields: [{ manager: 'test' }] };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    this.#objects.set(`${namespace}/${name}`, object);
    this.#happen({ type: previous === undefined ? 'ADDED' : 'MODIFIED', object });
  }

  delete(name: string, namespace = 'default'): void {
    const last = this.#objects.get(`${namespace}/${name}`);
    if (last === undefined) return;
    this.#objects.delete(`${namespace}/${name}`);
    const metadata = { ...last.metadata, resourceVersion: String(++this.#version) };
    this.#happen({ type: 'DELETED', object: { ...last, metadata } });
  }

  /** Ends all open watches, with an error or as servers do at the time limit. */
  cut(error?: ChandleryError): void {
    for (const watch of this.#open) this.#end(watch, error);
  }

  /** Open watches say nothing any more, and stay open. */
  stall(): void {
    for (const watch of this.#open) watch.isStalled = true;
  }

  /** Forgets the history: what is not up to date can no longer catch up. */
  compact(): void {
    this.#history = [];
    this.#oldest = this.#version;
  }

  /** Sends the last events once more. */
  repeat(count: number): void {
    for (const watch of this.#open) this.#send(watch, this.#history.slice(-count));
  }

  bookmark(): void {
    for (const watch of this.#open) this.#send(watch, [this.#bookmark()]);
  }

  failNext(verb: 'list' | 'watch', error: ChandleryError): void {
    this.#failures[verb].push(error);
  }

  /** Ends all trouble that is still to come. */
  calm(): void {
    this.#failures.list = [];
    this.#failures.watch = [];
  }

  #happen(event: WatchEvent): void {
    this.#history.push(event);
    for (const watch of this.#open) this.#send(watch, [event]);
  }

  #send(watch: OpenWatch, events: readonly WatchEvent[]): void {
    watch.pending.push(...events);
    watch.wake();
  }

  #end(watch: OpenWatch, error?: ChandleryError): void {
    watch.end = error === undefined ? {} : { error };
    watch.wake();
  }

  #bookmark(annotations: Record<string, string> = {}): WatchEvent {
    const metadata = { resourceVersion: String(this.#version), annotations };
    return { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } };
  }

  async #list(options: ListOptions = {}): Promise<KubeList> {
    this.calls.lists++;
    await turn();
    options.signal?.throwIfAborted();
    const failure = this.#failures.list.shift();
    if (failure !== undefined) throw failure;
    const [version = this.#version, from = 0] = (options.continue ?? '').split(' ').filter(Boolean).map(Number);
    if (version !== this.#version) throw expired();
    const end = options.limit === undefined ? this.#objects.size : from + options.limit;
    // As Kubernetes: objects of built-in kinds come without their type.
    const items = this.objects.slice(from, end).map(({ kind: _, apiVersion: __, ...rest }) => rest as KubeObject);
    const more = end < this.#objects.size ? { continue: `${version} ${end}` } : {};
    const metadata = { resourceVersion: String(version), ...more };
    return { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items: structuredClone(items) };
  }

  async *#watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent> {
    this.calls.watches++;
    await turn();
    if (options.signal?.aborted) return;
    const failure = this.#failures.watch.shift();
    if (failure !== undefined) throw failure;
    const watch: OpenWatch = { pending: this.#firstEvents(options), isStalled: false, wake: () => {} };
    this.#open.add(watch);
    try {
      yield* this.#follow(watch, options.signal);
    } finally {
      this.#open.delete(watch);
    }
  }

  #firstEvents({ hasInitialEvents, resourceVersion = '' }: WatchOptions): WatchEvent[] {
    if (hasInitialEvents && this.support === 'refuses') throw apiError('Invalid', 'sendInitialEvents is forbidden');
    const present = this.objects.map(object => ({ type: 'ADDED' as const, object }));
    if (hasInitialEvents && this.support === 'yes')
      return [...present, this.#bookmark({ 'k8s.io/initial-events-end': 'true' })];
    if (resourceVersion === '') return present;
    if (Number(resourceVersion) < this.#oldest) throw expired();
    return this.#history.filter(({ object }) => Number(object.metadata.resourceVersion) > Number(resourceVersion));
  }

  async *#follow(watch: OpenWatch, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    const abort = (): void => this.#end(watch);
    signal?.addEventListener('abort', abort, { once: true });
    for (;;) {
      while (!watch.isStalled && watch.pending.length > 0) yield structuredClone(watch.pending.shift()) as WatchEvent;
      if (watch.end?.error !== undefined) throw watch.end.error;
      if (watch.end !== undefined) return;
      await new Promise<void>(resolve => {
        watch.wake = resolve;
      });
    }
  }
}

export const expired = (): ChandleryError => apiError('Expired', 'too old resource version');
export const connectionFailed = (): ChandleryError => new ChandleryError('ConnectionFailed', 'the connection was cut');

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 12; i++) await turn();
}
