import { apiError, notFound } from '@chandlery/api';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { decodeValue } from '../codec/stored-value.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import { LoadingCache } from '../registry/loading-cache.ts';
import type { Target } from '../resources/request.ts';
import type { Check, ObjectKey, Store } from '../store/store.ts';
import { ViewReader, type ViewSpec } from '../views/view-spec.ts';
import { type LogicalCluster, logicalClusterResource, platformCluster } from './logical-cluster-kind.ts';

interface Place {
  readonly revision: number;
  readonly isTerminating: boolean;
  /** Of a logical cluster that shows a part of another one. */
  readonly view?: ViewSpec;
}

const clusterKey = (name: string): ObjectKey => ({
  cluster: platformCluster,
  resource: logicalClusterResource,
  namespace: '',
  name,
});
const namespaceKey = (cluster: string, name: string): ObjectKey => ({
  cluster,
  resource: '/namespaces',
  namespace: '',
  name,
});

/**
 * Which logical clusters and namespaces exist and still take new objects.
 *
 * Results come from memory and may be a moment old; {@link checksForCreate} therefore also gives the conditions under
 * which they hold, to be part of the commit.
 */
export class LogicalClusters {
  readonly #store: Pick<Store, 'get'>;
  readonly #codec: SealedCodec;
  readonly #views = new ViewReader();
  /** By name. */
  readonly #clusters: LoadingCache<Place | undefined>;
  /** By {@link textOf} cluster and name. */
  readonly #namespaces: LoadingCache<Place | undefined>;

  constructor(options: { store: Pick<Store, 'get'>; codec: SealedCodec; feed: ChangeFeed }) {
    this.#store = options.store;
    this.#codec = options.codec;
    this.#clusters = new LoadingCache(name => this.#load(clusterKey(name)), { limit: 50_000 });
    this.#namespaces = new LoadingCache(text => this.#load(namespaceKey(...placeOf(text))), { limit: 50_000 });
    options.feed.listen({ resource: '/namespaces' }, events => {
      for (const { change } of events) this.#namespaces.invalidate(textOf(change.key.cluster, change.key.name));
    });
    options.feed.listen({ cluster: platformCluster, resource: logicalClusterResource }, events => {
      for (const { change } of events) this.#clusters.invalidate(change.key.name);
    });
    options.feed.onGap(() => {
      this.#clusters.clear();
      this.#namespaces.clear();
    });
  }

  /** The logical cluster, also while it is being deleted; undefined when there is none of that name. */
  async find(cluster: string): Promise<Pick<Place, 'isTerminating' | 'view'> | undefined> {
    return this.#clusters.get(cluster);
  }

  /** Throws unless an object may be created at the target; returns what the commit must check. */
  async checksForCreate(target: Target): Promise<Check[]> {
    const { kind } = target.resource;
    if (!kind.isNamespaced) return this.#checksInCluster(target.cluster);
    const key = namespaceKey(target.cluster, target.namespace);
    const place = await this.#namespaces.get(textOf(target.cluster, target.namespace));
    if (place === undefined) throw notFound({ group: '', resource: 'namespaces' }, target.namespace);
    if (place.isTerminating) throw terminating(target);
    if ((await this.find(target.cluster))?.isTerminating) throw clusterTerminating(target.cluster);
    return [{ key, expect: { type: 'revision', revision: place.revision } }];
  }

  /** {@link checksForCreate} without waiting; undefined unless all is in memory and well. */
  peekChecksForCreate({ cluster, namespace, resource }: Target): Check[] | undefined {
    if (!resource.kind.isNamespaced || !this.isKnownAlive(cluster)) return undefined;
    const key = namespaceKey(cluster, namespace);
    const place = this.#namespaces.peek(textOf(cluster, namespace));
    if (place === undefined || place.isTerminating) return undefined;
    return [{ key, expect: { type: 'revision', revision: place.revision } }];
  }

  /** Whether it is known without waiting that the logical cluster exists and is not being deleted. */
  isKnownAlive(cluster: string): boolean {
    return this.#clusters.peek(cluster)?.isTerminating === false;
  }

  /** To be called when a check turned out to be stale. */
  forget(target: Target): void {
    this.#namespaces.invalidate(textOf(target.cluster, target.namespace));
    this.#clusters.invalidate(target.cluster);
  }

  /** To be called when a logical cluster has been deleted with all its namespaces. */
  forgetCluster(cluster: string): void {
    this.#namespaces.deleteWhere(text => text.startsWith(`${cluster} `));
  }

  async #checksInCluster(cluster: string): Promise<Check[]> {
    const key = clusterKey(cluster);
    const place = await this.#clusters.get(cluster);
    if (place === undefined) {
      // The first object of a landscape is the logical cluster that it is in itself.
      if (cluster === platformCluster) return [];
      throw notFound({ group: 'core.chandlery.io', resource: 'logicalclusters' }, cluster);
    }
    if (place.isTerminating) throw clusterTerminating(cluster);
    return [{ key, expect: { type: 'revision', revision: place.revision } }];
  }

  async #load(key: ObjectKey): Promise<Place | undefined> {
    const stored = await this.#store.get(key);
    if (stored === undefined) return undefined;
    const object = decodeValue(this.#codec.open(key, stored.value), stored.revision);
    const view = key.resource === logicalClusterResource ? (object as LogicalCluster).spec?.view : undefined;
    return {
      revision: stored.revision,
      isTerminating: object.metadata.deletionTimestamp !== undefined,
      ...(view === undefined ? {} : { view: this.#views.read(view) }),
    };
  }
}

function terminating({ namespace, name, resource: { kind } }: Target): Error {
  const what = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
  const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
  return apiError('Forbidden', `${what} "${name}" is forbidden: ${message}`, {
    name,
    kind: kind.plural,
    ...(kind.group === '' ? {} : { group: kind.group }),
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}

const clusterTerminating = (cluster: string): Error =>
  apiError('Forbidden', `unable to create new content in logical cluster "${cluster}" because it is being terminated`);

const textOf = (cluster: string, namespace: string): string => `${cluster} ${namespace}`;

/** The namespace comes last because it is what a URL said, and may hold anything. */
function placeOf(text: string): [cluster: string, namespace: string] {
  const space = text.indexOf(' ');
  return [text.slice(0, space), text.slice(space + 1)];
}
