import type { ConfiguredCluster, FleetConfiguration } from './configuration.ts';
import { type Problem, unknownWord } from './document-value.ts';

/** What is allowed in a configuration and yet probably not meant. */
export const configurationWarnings = (configuration: FleetConfiguration): readonly Problem[] => [
  ...configuration.clusters.flatMap((cluster, index) => clusterWarnings(configuration, cluster, index)),
  ...(configuration.settings.scalingType === 'manual' ? limitWarnings(configuration) : []),
];

function clusterWarnings({ providers }: FleetConfiguration, cluster: ConfiguredCluster, index: number): Problem[] {
  const provider = providers.get(cluster.cloudProvider);
  const warn = (key: string, message: string): Problem[] => [
    { path: `clusters[${index}].${key}`, message: `${message}; the cluster gets no instances` },
  ];
  if (provider === undefined)
    return warn('cloud_provider', unknownWord('the provider', cluster.cloudProvider, [...providers.keys()]));
  if (provider.regions.has(cluster.region)) return [];
  return warn('region', unknownWord('the region', cluster.region, [...provider.regions.keys()]));
}

/** In manual mode a region holds what its clusters hold, so that another limit of the region says something else. */
function limitWarnings({ providers, clusters }: FleetConfiguration): Problem[] {
  const warnings: Problem[] = [];
  for (const provider of providers.values())
    for (const region of provider.regions.values())
      for (const [type, { limit }] of region.instanceTypes) {
        const sum = limitSum(clusters, { provider: provider.name, region: region.name, type });
        if (limit === undefined || limit === 0 || limit === sum) continue;
        const path = `supported_providers.${provider.name}.${region.name}.${type}.limit`;
        const clustersHold = sum === undefined ? 'no limit' : `a limit of ${sum} together`;
        warnings.push({ path, message: `is ${limit}, while the clusters of the region have ${clustersHold}` });
      }
  return warnings;
}

/** Undefined: a cluster has no limit. */
function limitSum(
  clusters: readonly ConfiguredCluster[],
  key: { readonly provider: string; readonly region: string; readonly type: string },
): number | undefined {
  const matching = clusters.filter(
    ({ cloudProvider, region, supportedInstanceTypes }) =>
      cloudProvider === key.provider && region === key.region && (supportedInstanceTypes?.includes(key.type) ?? true),
  );
  const limits = matching.map(({ instanceLimit }) => instanceLimit);
  return limits.reduce<number | undefined>(
    (sum, limit) => (sum === undefined || limit === undefined ? undefined : sum + limit),
    0,
  );
}
