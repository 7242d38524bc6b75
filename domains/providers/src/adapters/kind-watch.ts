import type { GroupVersionKind, KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createInformer, type Informer } from '@chandlery/runtime';
import { refs } from '../model/tenants/refs.ts';
import { type KindNames, kindNames, type ServedKind, servedKinds } from '../model/tenants/served-kinds.ts';

/** Notified of objects of kinds that are added and removed at run time. */
export interface KindListener {
  objectChanged(kind: ServedKind, object: KubeObject, change: 'added' | 'updated' | 'deleted'): void;
  /** A kind is served, no longer served, or no longer wanted. */
  kindsChanged(): void;
}

export interface KindWatchOptions {
  readonly client: Client;
  /** The kinds of interest; called again on `refresh`. */
  readonly wanted: () => readonly GroupVersionKind[];
  readonly logger: Logger;
}

/**
 * Watches the objects of kinds that are not known when the process starts: those that providers install and
 * configurations name. A kind is watched as long as it is wanted and its definition exists. Only metadata is cached.
 */
export class KindWatch implements AsyncDisposable {
  readonly #options: KindWatchOptions;
  readonly #definitions: Informer<KindNames>;
  readonly #informers = new Map<string, Informer>();
  readonly #listeners = new Set<KindListener>();
  readonly #stopping = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: KindWatchOptions) {
    this.#options = options;
    this.#definitions = createInformer<KindNames>({
      client: options.client,
      ref: refs.customResourceDefinitions,
      transform: kindNames,
    });
  }

  /** Starts the watches; resolves when the served kinds are known. */
  async start(): Promise<void> {
    const refresh = (): void => this.refresh();
    this.#definitions.listen({ added: refresh, updated: refresh, deleted: refresh });
    this.#definitions.start();
    await this.#definitions.synced;
    this.refresh();
  }

  /** The kinds that are served as namespaced kinds now. */
  served(kinds: readonly GroupVersionKind[]): readonly ServedKind[] {
    return servedKinds(kinds, this.#definitions.list());
  }

  /** The description in the definition of a kind. */
  description({ group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): string | undefined {
    return this.#definitions.list().find(names => names.group === group && names.kindName === kind)?.description;
  }

  /** Reads the wanted kinds again; to be called when they may have changed. */
  refresh(): void {
    if (this.#isStopped || !this.#definitions.isSynced) return;
    const kinds = new Map(this.served(this.#options.wanted()).map(kind => [JSON.stringify(kind), kind]));
    const gone = [...this.#informers.keys()].filter(id => !kinds.has(id));
    const isNew = [...kinds].filter(([id]) => !this.#informers.has(id));
    for (const id of gone) this.#stop(id);
    for (const [id, kind] of isNew) this.#watch(id, kind);
    if (gone.length + isNew.length === 0) return;
    for (const listener of this.#listeners) listener.kindsChanged();
  }

  listen(listener: KindListener): void {
    this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    for (const id of [...this.#informers.keys()]) this.#stop(id);
    await Promise.all([this.#definitions.stop(), ...this.#stopping]);
  }

  #watch(id: string, kind: ServedKind): void {
    const { client, logger } = this.#options;
    const { group, version, plural } = kind;
    const onError = (error: Error): void => logger.debug(`cannot watch ${plural}.${group}: ${error.message}`);
    const informer = createInformer({ client, ref: { group, version, plural }, transform: metadataOnly, onError });
    const notify = (change: 'added' | 'updated' | 'deleted') => (object: KubeObject) => {
      for (const listener of this.#listeners) listener.objectChanged(kind, object, change);
    };
    informer.listen({ added: notify('added'), updated: notify('updated'), deleted: notify('deleted') });
    informer.start();
    this.#informers.set(id, informer);
  }

  #stop(id: string): void {
    const informer = this.#informers.get(id);
    this.#informers.delete(id);
    if (informer === undefined) return;
    const stopping = informer.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }
}

const metadataOnly = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const kept = { name, namespace, uid, resourceVersion, deletionTimestamp };
  return { apiVersion, kind, metadata: Object.fromEntries(Object.entries(kept).filter(([, value]) => value)) };
};
