import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { providerName } from './controllers/clusters/cluster-needs.ts';
import { clusters } from './kinds/cluster.ts';
import { clusterProfiles } from './kinds/cluster-profile.ts';
import { clusterNames, systemNamespace } from './kinds/names.ts';
import { type SchedulerConfig, schedulerConfigs } from './kinds/scheduler-config.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
type Purposes = SchedulerConfig['spec']['purposes'];

/** Creates what a new landscape begins with. What is there stays as operators have made it. */
export async function seedLandscape(client: Pick<Client, 'create'>, version: string): Promise<void> {
  const seeds: readonly (readonly [ResourceRef, KubeObject])[] = [
    [namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } }],
    ...profiles(version).map(profile => [clusterProfiles.ref, profile] as const),
    [schedulerConfigs.ref, defaultConfig()],
    ...ownClusters().map(cluster => [{ ...clusters.ref, namespace: systemNamespace }, cluster] as const),
  ];
  for (const [ref, object] of seeds) await createIfAbsent(client, ref, object);
}

async function createIfAbsent(client: Pick<Client, 'create'>, ref: ResourceRef, object: KubeObject): Promise<void> {
  try {
    await client.create(ref, object, { fieldManager: 'clusters' });
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}

/** The version of external clusters is not ours to choose. */
const profiles = (version: string): readonly KubeObject[] => [
  profile('logical', [{ version }]),
  profile('local', [{ version }]),
  profile('external', []),
];

const profile = (name: string, supportedVersions: { version: string }[]): KubeObject =>
  clusterProfiles.object(
    { name },
    { providerRef: { name: providerName }, providerConfigRef: { name }, supportedVersions },
  );

function defaultConfig(): KubeObject {
  const goesWithLast = { labels: { [clusterNames.deleteWithoutRequestsLabel]: 'true' } };
  const purposes: Purposes = {
    platform: rule('local', 'platform', 'Shared'),
    onboarding: rule('logical', 'onboarding', 'Shared'),
    mcp: rule('logical', 'mcp', 'Exclusive', goesWithLast),
    workload: rule('local', 'workload', 'Shared', goesWithLast),
  };
  return schedulerConfigs.object({ name: 'default' }, { scope: 'Cluster', strategy: 'Balanced', purposes });
}

const rule = (
  source: string,
  purpose: string,
  tenancy: 'Shared' | 'Exclusive',
  metadata: Record<string, unknown> = {},
): Purposes[string] => ({
  template: { metadata, spec: { profile: source, purposes: [purpose], tenancy } },
  tenancyCount: 0,
});

const ownClusters = (): readonly KubeObject[] => [ownCluster('platform', 'local'), ownCluster('onboarding', 'logical')];

const ownCluster = (name: string, source: string): KubeObject =>
  clusters.object({ name, namespace: systemNamespace }, { profile: source, purposes: [name], tenancy: 'Shared' });
