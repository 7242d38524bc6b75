import type { ChandleryError, KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { Informer } from '@chandlery/runtime';
import { httpRouteGroups, type SmiHttpRouteGroup } from '../kinds/smi/http-route-group.ts';
import { type SmiTcpRoute, tcpRoutes } from '../kinds/smi/port-routes.ts';
import { type SmiTrafficSplit, trafficSplits } from '../kinds/smi/traffic-split.ts';
import { type SmiTrafficTarget, trafficTargets } from '../kinds/smi/traffic-target.ts';
import { PolicyInformer } from './policy-informer.ts';

/** Sources of a topology. */
export interface TopologySources {
  /** Client of the cluster that holds the SMI objects. Not disposed of. */
  readonly topologyClient: Client;
  /** Receives warnings about kinds that cannot be read. Default: none. */
  readonly logger?: Pick<Logger, 'warn'>;
}

/** Informers for all objects of a topology. */
export class TopologyInformers {
  readonly splits: Informer<SmiTrafficSplit>;
  readonly targets: Informer<SmiTrafficTarget>;
  readonly groups: Informer<SmiHttpRouteGroup>;
  readonly tcp: Informer<Partial<SmiTcpRoute> & KubeObject>;
  readonly #policies: Pick<PolicyInformer<KubeObject>, 'informer' | 'settled' | 'isSettled' | 'isMissing' | 'name'>[] =
    [];
  readonly #sources: TopologySources;

  constructor(sources: TopologySources) {
    this.#sources = sources;
    this.splits = this.#policy(trafficSplits.ref);
    this.targets = this.#policy(trafficTargets.ref);
    this.groups = this.#policy(httpRouteGroups.ref);
    this.tcp = this.#policy(tcpRoutes.ref);
  }

  get areSynced(): boolean {
    return this.#policies.every(({ isSettled }) => isSettled);
  }

  get missingKinds(): readonly string[] {
    return this.#policies
      .filter(({ isMissing }) => isMissing)
      .map(({ name }) => name)
      .sort();
  }

  /** Starts the informers; the promise resolves when all have been read, and the others have resolved. */
  start(others: readonly Promise<void>[]): PromiseWithResolvers<void> {
    const synced = Promise.withResolvers<void>();
    // Prevents an unhandled rejection when no caller awaits the promise.
    synced.promise.catch(() => undefined);
    for (const { informer } of this.#policies) informer.start();
    Promise.all([...this.#policies.map(kind => kind.settled), ...others]).then(() => synced.resolve(), synced.reject);
    return synced;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#policies.map(({ informer }) => informer.stop()));
  }

  #policy<T extends KubeObject>(ref: ResourceRef): Informer<T> {
    const { topologyClient: client, logger } = this.#sources;
    const policy: PolicyInformer<T> = new PolicyInformer<T>({
      ...{ client, ref, transform: compact, onError: this.#warning(ref) },
      onMissing: () =>
        logger?.warn(`the cluster of the policies does not serve ${policy.name}: there are none for now`),
    });
    this.#policies.push(policy);
    return policy.informer;
  }

  #warning(ref: ResourceRef): (error: ChandleryError) => void {
    return error => void this.#sources.logger?.warn(`cannot read ${ref.plural} for the mesh: ${error.message}`);
  }
}

/** Keeps only the fields that are evaluated: a mesh may have thousands of policies. */
function compact<T extends KubeObject>(object: T): T {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const spec = compactSpec(object['spec']);
  const { apiVersion, kind } = object;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec,
  } as unknown as T;
}

const keptFields = ['service', 'backends', 'matches', 'destination', 'rules', 'sources'];

function compactSpec(spec: unknown): Record<string, unknown> {
  const fields = Object.entries((spec ?? {}) as Record<string, unknown>);
  return Object.fromEntries(fields.filter(([field]) => keptFields.includes(field)));
}
