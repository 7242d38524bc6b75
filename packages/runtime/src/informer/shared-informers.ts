import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { createInformer } from './create-informer.ts';
import type { Informer, InformerOptions } from './informer.ts';

interface Shared {
  readonly informer: Informer;
  readonly transform: unknown;
}

/** What all informers of a factory have in common. */
export type SharedInformersOptions = Omit<
  InformerOptions,
  'client' | 'ref' | 'labelSelector' | 'fieldSelector' | 'indexes' | 'transform'
>;

/** Informers shared by all who want the same: one for each client, collection and selection. */
export class SharedInformers implements AsyncDisposable {
  readonly #defaults: SharedInformersOptions;
  readonly #byClient = new Map<Client, Map<string, Shared>>();

  constructor(defaults: SharedInformersOptions = {}) {
    this.#defaults = defaults;
  }

  /**
   * The informer for what the options ask for, made and started if it is the first to ask. Indexes are added to those
   * that others declared; the transform must be the same, or it rejects with `InformerConflict`. Callers do not stop it.
   */
  informer<T extends KubeObject = KubeObject>(options: InformerOptions<T>): Informer<T> {
    const shared = this.#find(options) ?? this.#create(options);
    if (shared.transform !== options.transform) throw differs(options.ref.plural);
    const informer = shared.informer as unknown as Informer<T>;
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) informer.addIndex(name, valuesOf);
    informer.start();
    return informer;
  }

  /** Waits for the first list of all informers asked for so far. */
  async synced(): Promise<void> {
    await Promise.all(this.#all().map(({ informer }) => informer.synced));
  }

  /** Stops the informers of a client, when a cluster goes. */
  async release(client: Client): Promise<void> {
    const informers = [...(this.#byClient.get(client)?.values() ?? [])];
    this.#byClient.delete(client);
    await Promise.all(informers.map(({ informer }) => informer.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#byClient.keys()].map(client => this.release(client)));
  }

  #all(): Shared[] {
    return [...this.#byClient.values()].flatMap(informers => [...informers.values()]);
  }

  #find<T extends KubeObject>(options: InformerOptions<T>): Shared | undefined {
    return this.#byClient.get(options.client)?.get(sharingKey(options));
  }

  #create<T extends KubeObject>(options: InformerOptions<T>): Shared {
    const informer = createInformer<T>({ ...this.#defaults, ...options, indexes: {} });
    const shared = { informer: informer as unknown as Informer, transform: options.transform };
    const siblings = this.#byClient.get(options.client) ?? new Map<string, Shared>();
    this.#byClient.set(options.client, siblings.set(sharingKey(options), shared));
    return shared;
  }
}

function sharingKey<T extends KubeObject>({ ref, labelSelector, fieldSelector }: InformerOptions<T>): string {
  const { group, version, plural, namespace } = ref;
  return JSON.stringify([group, version, plural, namespace ?? '', labelSelector ?? '', fieldSelector ?? '']);
}

const differs = (plural: string): ChandleryError =>
  new ChandleryError('InformerConflict', `the informer of ${plural} is shared with another transform`, {
    hint: 'Use the same transform function, or make an informer of your own.',
  });
