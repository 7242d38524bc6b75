import type { ChandleryError, KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { withoutManagedFields } from '@chandlery/runtime';
import type { ClusterRole } from '../objects/cluster-connection.ts';
import type { Reader } from '../objects/cluster-share.ts';
import { FollowedCollection, type FollowedCollectionOptions } from '../objects/followed-collection.ts';
import { collectionOf, kindId } from '../objects/kind-refs.ts';
import { keepOwned } from '../objects/owned-fields.ts';
import { byOwner, bySource, syncedBySelector, syncManagerOf } from './sync-ownership.ts';
import type { Place, RelatedDefinition, SyncDefinition } from './syncer.ts';

/** Notified of changes on a side. */
export interface SideListener {
  /** A source (on the control plane) or a copy (on the workload cluster) changed. */
  mainChanged(definition: SyncDefinition, current: KubeObject | undefined, previous: KubeObject | undefined): void;
  /** A related object that the syncer created changed. */
  targetChanged(current: KubeObject | undefined, previous: KubeObject | undefined): void;
  /** A related object of another owner changed; only its metadata is known. */
  originChanged(ref: ResourceRef, object: KubeObject): void;
  /** All sources or copies of a definition have been read. */
  mainSynced(definition: SyncDefinition): void;
}

export interface SideOptions {
  readonly role: ClusterRole;
  readonly provider: string;
  readonly definitions: readonly SyncDefinition[];
  readonly listener: SideListener;
  readonly logger: Logger;
  /** Called for every failure of a watch, which retries by itself. Default: none. */
  readonly onFailure?: (error: ChandleryError) => void;
}

/** The watches of the syncer on one cluster. */
export class Side implements Reader {
  readonly #options: SideOptions;
  readonly #main = new Map<SyncDefinition, FollowedCollection>();
  readonly #targets = new Map<string, FollowedCollection>();
  readonly #origins = new Map<string, FollowedCollection>();

  constructor(options: SideOptions) {
    this.#options = options;
    for (const definition of options.definitions) {
      this.#main.set(definition, this.#followMain(definition));
      for (const related of definition.related ?? []) this.#addRelated(related);
    }
  }

  /** Uses this client from now on. */
  follow(client: Client): void {
    for (const collection of this.#all()) collection.follow(client);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map(collection => collection.stop()));
  }

  /** Sources or copies. */
  main(definition: SyncDefinition): FollowedCollection {
    const collection = this.#main.get(definition);
    if (collection === undefined) throw new TypeError(`no collection of ${definition.kind.plural} was declared`);
    return collection;
  }

  /** Related objects that are shown on this side. */
  targets(ref: ResourceRef): FollowedCollection | undefined {
    return this.#targets.get(kindId(ref));
  }

  /** Whether a related object is known not to exist on this side; the listener is notified when it is created. */
  lacksOrigin(ref: ResourceRef, { namespace, name }: Place): boolean {
    const origins = this.#origins.get(kindId(ref));
    return origins?.isSynced === true && origins.get(namespace, name) === undefined;
  }

  #all(): readonly FollowedCollection[] {
    return [...this.#main.values(), ...this.#targets.values(), ...this.#origins.values()];
  }

  #followMain(definition: SyncDefinition): FollowedCollection {
    const { role, provider, listener } = this.#options;
    const copies = {
      labelSelector: syncedBySelector(provider),
      transform: keepOwned(syncManagerOf(provider)),
      indexes: { source: bySource, owner: byOwner },
    };
    return this.#collection({
      ref: definition.kind.ref,
      ...(role === 'workload' ? copies : { transform: withoutManagedFields }),
      changed: (current, previous) => listener.mainChanged(definition, current, previous),
      synced: () => listener.mainSynced(definition),
    });
  }

  #addRelated({ from, ref }: RelatedDefinition): void {
    const { role } = this.#options;
    const collections = from === role ? this.#origins : this.#targets;
    if (collections.has(kindId(ref))) return;
    collections.set(kindId(ref), from === role ? this.#followOrigins(ref) : this.#followTargets(ref));
  }

  #followTargets(ref: ResourceRef): FollowedCollection {
    const { provider, listener } = this.#options;
    return this.#collection({
      ref: collectionOf(ref),
      labelSelector: syncedBySelector(provider),
      transform: keepOwned(syncManagerOf(provider)),
      indexes: { source: bySource },
      changed: (current, previous) => listener.targetChanged(current, previous),
    });
  }

  /** Only metadata is cached: the contents of a cluster's Secrets are not ours to keep. */
  #followOrigins(ref: ResourceRef): FollowedCollection {
    const { listener } = this.#options;
    return this.#collection({
      ref: collectionOf(ref),
      transform: identityOf,
      changed: (current, previous) => {
        const object = current ?? previous;
        if (object !== undefined) listener.originChanged(ref, object);
      },
    });
  }

  #collection(options: FollowedCollectionOptions): FollowedCollection {
    const { logger, role, onFailure } = this.#options;
    const { plural } = options.ref;
    const onError = (error: ChandleryError): void => {
      logger.debug('objects cannot be watched', { plural, role, code: error.code, error: error.message });
      onFailure?.(error);
    };
    return new FollowedCollection({ ...options, onError });
  }
}

const identityOf = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
};
