import type { ChandleryError } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { ClusterConnection } from './cluster-connection.ts';
import { ClusterShare, type Reader } from './cluster-share.ts';
import { collectionOf, kindId } from './kind-refs.ts';
import { KindWatch, type KindWatchOptions } from './kind-watch.ts';

type SharedOptions = Omit<KindWatchOptions, 'ref' | 'onFailure'>;

/** The watches of one cluster, by kind. */
class ClusterKinds implements Reader {
  readonly #create: (ref: ResourceRef) => KindWatch;
  readonly #watches = new Map<string, KindWatch>();
  readonly looked = new Set<string>();
  #client: Client | undefined;

  constructor(create: (ref: ResourceRef) => KindWatch) {
    this.#create = create;
  }

  get all(): readonly KindWatch[] {
    return [...this.#watches.values()];
  }

  watch(ref: ResourceRef): KindWatch {
    const known = this.#watches.get(kindId(ref));
    if (known !== undefined) return known;
    const watch = this.#create(collectionOf(ref));
    this.#watches.set(kindId(ref), watch);
    if (this.#client !== undefined) watch.follow(this.#client);
    return watch;
  }

  follow(client: Client): void {
    this.#client = client;
    for (const watch of this.all) watch.follow(client);
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map(watch => watch.stop()));
  }
}

/** The watches of all clusters: one for each kind on each cluster, shared by all owners. */
export class ClusterWatches implements AsyncDisposable {
  readonly #clusters: ClusterShare<ClusterKinds>;

  constructor(options: SharedOptions) {
    const create = (onFailure: (error: ChandleryError) => void): ClusterKinds =>
      new ClusterKinds(ref => new KindWatch({ ...options, ref, onFailure }));
    this.#clusters = new ClusterShare(create, options.clock);
  }

  /** Returns the watch of a kind; the first call starts it. */
  watch(connection: ClusterConnection, ref: ResourceRef): KindWatch {
    return this.#clusters.use(connection, connection.id).watch(ref);
  }

  /** All watches of a cluster: one for each kind that was ever desired there. */
  all(connection: ClusterConnection): readonly KindWatch[] {
    return this.#clusters.use(connection, connection.id).all;
  }

  /** Whether this is the first call for a cluster and `what`. */
  isFirst(connection: ClusterConnection, what: string): boolean {
    const { looked } = this.#clusters.use(connection, connection.id);
    return looked.size < looked.add(what).size;
  }

  forget(connectionId: string): void {
    this.#clusters.leave(connectionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#clusters[Symbol.asyncDispose]();
  }
}
