import type { KubeObject } from '@chandlery/api';
import { LruCache, Pace } from '@chandlery/platform';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { decodeValue } from '../codec/stored-value.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import { LoadingCache } from '../registry/loading-cache.ts';
import { formatKey, type Store, type StoredObject } from '../store/store.ts';
import { ClusterAccess } from './cluster-access.ts';
import { rbacGroup } from './rbac-objects.ts';

const plurals = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'] as const;

const maxClusters = 5000;

/** A role or binding, as of a revision. */
interface Parsed {
  readonly revision: number;
  readonly object: KubeObject;
}

/** The compiled rights of every logical cluster, made on first use and again after a change of its roles or bindings. */
export class AccessRegistry {
  readonly #store: Pick<Store, 'list'>;
  readonly #codec: SealedCodec;
  readonly #clusters: LoadingCache<ClusterAccess>;
  /** By cluster and key, what was parsed last: one role that changes must not cost the parsing of all. */
  readonly #parsed = new LruCache<string, Map<string, Parsed>>(maxClusters);

  constructor(options: { store: Pick<Store, 'list'>; codec: SealedCodec; feed: ChangeFeed }) {
    this.#store = options.store;
    this.#codec = options.codec;
    this.#clusters = new LoadingCache(cluster => this.#load(cluster), { limit: maxClusters });
    for (const plural of plurals) {
      options.feed.listen({ resource: `${rbacGroup}/${plural}` }, events => {
        for (const { change } of events) this.#clusters.invalidate(change.key.cluster);
      });
    }
    options.feed.onGap(() => this.#clusters.clear());
  }

  of(cluster: string): Promise<ClusterAccess> {
    return this.#clusters.get(cluster);
  }

  invalidate(cluster: string): void {
    this.#clusters.invalidate(cluster);
  }

  async #load(cluster: string): Promise<ClusterAccess> {
    const pages = await Promise.all(
      plurals.map(plural => this.#store.list({ cluster, resource: `${rbacGroup}/${plural}` })),
    );
    const before = this.#parsed.get(cluster);
    const parsed = new Map<string, Parsed>();
    const pace = new Pace();
    const lists: KubeObject[][] = [];
    for (const { items } of pages) {
      const objects: KubeObject[] = [];
      for (const stored of items) {
        const key = formatKey(stored.key);
        const known = before?.get(key);
        const current = known?.revision === stored.revision ? known : this.#parse(stored);
        parsed.set(key, current);
        objects.push(current.object);
        if (pace.isDue) await pace.rest();
      }
      lists.push(objects);
    }
    this.#parsed.set(cluster, parsed);
    const [roles, clusterRoles, roleBindings, clusterRoleBindings] = lists;
    return new ClusterAccess({
      roles: roles ?? [],
      clusterRoles: clusterRoles ?? [],
      roleBindings: roleBindings ?? [],
      clusterRoleBindings: clusterRoleBindings ?? [],
    });
  }

  /** Without what says nothing about rights: it is kept for a long time. */
  #parse({ key, value, revision }: StoredObject): Parsed {
    const { metadata, ...rest } = decodeValue(this.#codec.open(key, value), revision);
    const { managedFields: _, annotations: __, ...kept } = metadata;
    return { revision, object: { ...rest, metadata: kept } };
  }
}
