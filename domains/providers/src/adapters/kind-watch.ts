import type { GroupVersionKind, KubeObject } from '@chandlery/api';
import { createInformer, type Informer } from '@chandlery/runtime';
import { refs } from '../model/tenants/refs.ts';
import { type KindNames, kindNames, type ServedKind, servedKinds } from '../model/tenants/served-kinds.ts';
import type { KindListener, KindWatch, KindWatchOptions } from '../ports.ts';

/** Watches with one informer per kind, as long as the kind is wanted and its definition exists. Caches only metadata. */
export class InformerKindWatch implements KindWatch {
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

  async start(): Promise<void> {
    const refresh = (): void => this.refresh();
    this.#definitions.listen({ added: refresh, updated: refresh, deleted: refresh });
    this.#definitions.start();
    await this.#definitions.synced;
    this.refresh();
  }

  served(kinds: readonly GroupVersionKind[]): readonly ServedKind[] {
    return servedKinds(kinds, this.#definitions.list());
  }

  description({ group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): string | undefined {
    return this.#definitions.list().find(names => names.group === group && names.kindName === kind)?.description;
  }

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
