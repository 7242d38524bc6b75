import type { Informer } from '@chandlery/runtime';
import { keyOf } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { holdersOf } from '../../model/scheduling/holds.ts';
import type { SchedulingView } from '../../model/scheduling/plan.ts';

const holderIndex = 'scheduler/holder';
const purposeIndex = 'scheduler/purpose';
const uidIndex = 'scheduler/uid';

/** Clusters and requests from the informers, by the indexes that decisions need. */
export class ClusterCache implements SchedulingView, Disposable {
  readonly #clusters: Informer<Cluster>;
  readonly #requests: Informer<ClusterRequest>;
  readonly #profiles: Pick<Informer<ClusterProfile>, 'get'>;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #unlisten: () => void;

  constructor(
    clusters: Informer<Cluster>,
    requests: Informer<ClusterRequest>,
    profiles: Pick<Informer<ClusterProfile>, 'get'>,
  ) {
    this.#profiles = profiles;
    this.#clusters = clusters;
    this.#requests = requests;
    clusters.addIndex(holderIndex, holdersOf);
    clusters.addIndex(purposeIndex, purposesOf);
    requests.addIndex(uidIndex, uidsOf);
    const enqueue = (cluster: Cluster): void => this.#waiting.get(keyOf(cluster))?.forEach(check => check());
    this.#unlisten = clusters.listen({ added: enqueue, updated: enqueue, deleted: enqueue });
  }

  at({ namespace, name }: { readonly namespace: string; readonly name: string }): Cluster | undefined {
    return this.#clusters.get(namespace, name);
  }

  heldBy(requestUid: string): readonly Cluster[] {
    return this.#clusters.byIndex(holderIndex, requestUid);
  }

  withPurpose(purpose: string): readonly Cluster[] {
    return this.#clusters.byIndex(purposeIndex, purpose);
  }

  profile(name: string): ClusterProfile | undefined {
    return this.#profiles.get(undefined, name);
  }

  isAlive(requestUid: string): boolean {
    return this.findRequest(requestUid) !== undefined;
  }

  findRequest(uid: string): ClusterRequest | undefined {
    return this.#requests.byIndex(uidIndex, uid)[0];
  }

  /**
   * Waits until the cache shows another version of a cluster than `before` (undefined: any version), for at most two
   * seconds: the next decision should see the previous one, but must not depend on it.
   */
  async untilChanged(cluster: Cluster, before: string | undefined, signal: AbortSignal): Promise<void> {
    const { namespace, name } = cluster.metadata;
    const key = keyOf(cluster);
    const hasChanged = (): boolean => this.#clusters.get(namespace, name ?? '')?.metadata.resourceVersion !== before;
    if (hasChanged()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => void (hasChanged() && resolve());
    const limit = AbortSignal.any([signal, AbortSignal.timeout(2000)]);
    limit.addEventListener('abort', () => resolve(), { once: true });
    const checks = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, checks.add(check));
    await promise;
    checks.delete(check);
    if (checks.size === 0) this.#waiting.delete(key);
  }

  [Symbol.dispose](): void {
    this.#unlisten();
  }
}

const purposesOf = ({ spec }: Cluster): readonly string[] => spec.purposes;
const uidsOf = ({ metadata }: ClusterRequest): readonly string[] => (metadata.uid === undefined ? [] : [metadata.uid]);
