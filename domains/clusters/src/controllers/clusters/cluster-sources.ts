import type { Informer } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';
import { builtInProviderName, clusterNames } from '../../kinds/names.ts';
import type { ClusterSource } from '../../ports.ts';
import type { ClusterDeps } from './cluster-deps.ts';

/** Finds the source of each cluster. */
export class ClusterSources implements ClusterDeps {
  readonly sourceNames: readonly string[];
  readonly #sources: ReadonlyMap<string, ClusterSource>;
  readonly #profiles: Informer<ClusterProfile>;

  constructor(sources: readonly ClusterSource[], profiles: Informer<ClusterProfile>) {
    this.#sources = new Map(sources.map(source => [source.name, source]));
    this.sourceNames = [...this.#sources.keys()].sort();
    this.#profiles = profiles;
  }

  profileOf({ spec }: Cluster): ClusterProfile | undefined {
    return this.#profiles.get(undefined, spec.profile);
  }

  /** Undefined for clusters of other providers, and of profiles without a source of ours. */
  sourceOf(cluster: Cluster): ClusterSource | undefined {
    return this.isOurs(cluster) ? this.#sources.get(this.#sourceName(cluster)) : undefined;
  }

  /** A cluster stays ours when its profile is deleted, because it still has to be removed. */
  isOurs(cluster: Cluster): boolean {
    const provider = this.profileOf(cluster)?.spec.providerRef.name;
    return (provider ?? cluster.metadata.labels?.[clusterNames.providerLabel]) === builtInProviderName;
  }

  #sourceName(cluster: Cluster): string {
    const remembered = cluster.status?.providerStatus?.['source'];
    const fallback = typeof remembered === 'string' ? remembered : cluster.spec.profile;
    return this.profileOf(cluster)?.spec.providerConfigRef.name ?? fallback;
  }
}
