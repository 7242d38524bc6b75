import type { KubeObject } from '@chandlery/api';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { decodeValue } from '../codec/stored-value.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import { LoadingCache } from '../registry/loading-cache.ts';
import type { Store } from '../store/store.ts';
import { ClusterAccess } from './cluster-access.ts';
import { rbacGroup } from './rbac-objects.ts';

const plurals = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'] as const;

/** The compiled rights of every logical cluster, made on first use and again after a change of its roles or bindings. */
export class AccessRegistry {
  readonly #store: Pick<Store, 'list'>;
  readonly #codec: SealedCodec;
  readonly #clusters: LoadingCache<ClusterAccess>;

  constructor(options: { store: Pick<Store, 'list'>; codec: SealedCodec; feed: ChangeFeed }) {
    this.#store = options.store;
    this.#codec = options.codec;
    this.#clusters = new LoadingCache(cluster => this.#load(cluster), { limit: 5000 });
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
    const [roles, clusterRoles, roleBindings, clusterRoleBindings] = await Promise.all(
      plurals.map(plural => this.#list(cluster, plural)),
    );
    return new ClusterAccess({
      roles: roles ?? [],
      clusterRoles: clusterRoles ?? [],
      roleBindings: roleBindings ?? [],
      clusterRoleBindings: clusterRoleBindings ?? [],
    });
  }

  async #list(cluster: string, plural: string): Promise<KubeObject[]> {
    const page = await this.#store.list({ cluster, resource: `${rbacGroup}/${plural}` });
    return page.items.map(({ key, value, revision }) => decodeValue(this.#codec.open(key, value), revision));
  }
}
