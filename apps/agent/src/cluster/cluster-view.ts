import type { ChandleryError, KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { createInformer, type Informer, withoutManagedFields } from '@chandlery/runtime';
import { agentNames, productSelector } from '../model/names.ts';
import type { KindId, KindResolver } from './kind-resolver.ts';

export interface ClusterViewOptions {
  readonly client: Client;
  readonly product: string;
  readonly resolveKind: KindResolver;
  /** Something of an instance changed. */
  readonly onChange: (instanceId: string) => void;
  readonly onError: (error: ChandleryError) => void;
}

const namespaces: ResourceRef = { group: '', version: 'v1', plural: 'namespaces' };
const alwaysFollowed: readonly KindId[] = ['v1/Pod', 'v1/Service', 'discovery.k8s.io/v1/EndpointSlice'];
const byInstance = 'instance';

/** Everything of a product on the cluster, kept by watches. */
export class ClusterView implements AsyncDisposable {
  readonly #options: ClusterViewOptions;
  readonly #namespaces: Informer;
  readonly #objects = new Map<KindId, Informer>();

  constructor(options: ClusterViewOptions) {
    this.#options = options;
    this.#namespaces = this.#inform(namespaces);
  }

  /** Waits until everything that is there is known. */
  async open(): Promise<void> {
    await Promise.all([this.#namespaces.synced, this.follow(alwaysFollowed)]);
  }

  /** Follows more kinds; resolves when their objects are known. */
  async follow(kinds: Iterable<KindId>): Promise<void> {
    await Promise.all([...kinds].map(kind => this.#follow(kind)));
  }

  /** The ids of all instances that have a namespace. */
  get instanceIds(): ReadonlySet<string> {
    return new Set(this.#namespaces.list().flatMap(instanceIdsOf));
  }

  namespaceOf(instanceId: string): KubeObject | undefined {
    return this.#namespaces.byIndex(byInstance, instanceId)[0];
  }

  /** Objects of a kind that is followed. */
  objects(kind: KindId, namespace: string): readonly KubeObject[] {
    return this.#objects.get(kind)?.list(namespace) ?? [];
  }

  object(kind: KindId, namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(kind)?.get(namespace, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#namespaces, ...this.#objects.values()].map(informer => informer.stop()));
  }

  async #follow(kind: KindId): Promise<void> {
    const ref = this.#objects.has(kind) ? undefined : await this.#options.resolveKind(kind);
    if (ref !== undefined && !this.#objects.has(kind)) this.#objects.set(kind, this.#inform(ref));
    await this.#objects.get(kind)?.synced;
  }

  #inform(ref: ResourceRef): Informer {
    const { client, product, onChange, onError } = this.#options;
    const informer = createInformer({
      client,
      ref,
      labelSelector: productSelector(product),
      indexes: { [byInstance]: instanceIdsOf },
      transform: withoutManagedFields,
      onError,
    });
    const notify = (object: KubeObject): void => instanceIdsOf(object).forEach(onChange);
    informer.listen({ added: notify, updated: notify, deleted: notify });
    informer.start();
    return informer;
  }
}

const instanceIdsOf = ({ metadata }: KubeObject): readonly string[] => {
  const id = metadata.labels?.[agentNames.instanceLabel];
  return id === undefined ? [] : [id];
};
