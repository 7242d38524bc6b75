import type { Client } from '@chandlery/client';
import { type Logger, silentLogger } from '@chandlery/platform';
import { type ControllerMetrics, createController, type Informer, keyOf, parseKey } from '@chandlery/runtime';
import { type Cluster, clusters } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';
import { clusterNames } from '../../kinds/names.ts';
import type { ClusterSource } from '../../ports.ts';
import { checkProfile } from './check-profile.ts';
import type { ClusterDeps } from './cluster-deps.ts';
import type { ClusterSources } from './cluster-sources.ts';
import { ensureCluster } from './ensure-cluster.ts';
import { awaitRelease, removeCluster } from './remove-cluster.ts';

export interface ClusterControllerOptions {
  /** The platform cluster. */
  readonly client: Client;
  readonly clusters: Informer<Cluster>;
  readonly profiles: Informer<ClusterProfile>;
  readonly lookup: ClusterSources;
  readonly sources: readonly ClusterSource[];
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
}

const profileIndex = 'clusters/profile';

/** Starts the controller of the clusters of our own profiles. */
export function startClusterController(options: ClusterControllerOptions): AsyncDisposable {
  const { client, clusters: informer, profiles, lookup, sources, logger = silentLogger, metrics } = options;
  informer.addIndex(profileIndex, profilesOf);
  const isOurs = (key: string): boolean => {
    const { namespace, name } = parseKey(key);
    const cluster = informer.get(namespace, name);
    return cluster !== undefined && lookup.isOurs(cluster);
  };
  const controller = createController<Cluster, ClusterDeps>({
    name: 'clusters',
    client,
    for: { ref: clusters.ref, informer },
    watches: [
      {
        informer: profiles,
        mapToKeys: ({ metadata: { name = '' } }) => informer.byIndex(profileIndex, name).map(keyOf),
      },
    ],
    filter: isOurs,
    finalizer: clusterNames.clusterFinalizer,
    steps: [checkProfile, ensureCluster],
    onDelete: [awaitRelease, removeCluster],
    needs: lookup,
    concurrency: 8,
    tenantOf: key => key.slice(0, key.indexOf('/')),
    logger,
    ...(metrics && { metrics }),
  });
  const stack = new AsyncDisposableStack();
  stack.use(controller);
  for (const source of sources) stack.defer(source.onChange(key => controller.enqueue(key)));
  controller.start();
  return stack;
}

const profilesOf = ({ spec }: Cluster): readonly string[] => [spec.profile];
