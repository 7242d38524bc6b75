import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { clusters } from './kinds/cluster.ts';
import { type ClusterProfile, clusterProfiles } from './kinds/cluster-profile.ts';
import { builtInProviderName, clusterNames, systemNamespace } from './kinds/names.ts';
import { type SchedulerConfig, schedulerConfigs } from './kinds/scheduler-config.ts';
import { addDefaultPurposes } from './model/scheduling/default-purposes.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
type Purposes = SchedulerConfig['spec']['purposes'];

type SeedClient = Pick<Client, 'create' | 'get' | 'update'>;

/**
 * Creates the initial objects of a landscape. Existing objects keep the operators' changes; purposes that were added to
 * the defaults later are added once.
 */
export async function seedLandscape(client: SeedClient, version: string): Promise<void> {
  const seeds: readonly (readonly [ResourceRef, KubeObject])[] = [
    [namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } }],
    ...profiles(version).map(profile => [clusterProfiles.ref, profile] as const),
    [schedulerConfigs.ref, defaultConfig()],
    ...ownClusters().map(cluster => [{ ...clusters.ref, namespace: systemNamespace }, cluster] as const),
  ];
  for (const [ref, object] of seeds) await createIfAbsent(client, ref, object);
  await upgradeConfig(client);
}

async function upgradeConfig(client: SeedClient): Promise<void> {
  const ref = { ...schedulerConfigs.ref, name: 'default' };
  const upgraded = addDefaultPurposes(await client.get<SchedulerConfig>(ref), defaultPurposes());
  if (upgraded !== undefined) await client.update(ref, upgraded, { fieldManager: 'clusters' });
}

async function createIfAbsent(client: Pick<Client, 'create'>, ref: ResourceRef, object: KubeObject): Promise<void> {
  try {
    await client.create(ref, object, { fieldManager: 'clusters' });
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}

/** The version of external clusters is not ours to choose, nor whether they have nodes. */
const profiles = (version: string): readonly KubeObject[] => [
  profile('logical', { supportedVersions: [{ version }], capabilities: ['API'] }),
  profile('local', { supportedVersions: [{ version }], capabilities: ['API', 'Run'] }),
  profile('external', { supportedVersions: [] }),
];

type ProfileParts = Pick<ClusterProfile['spec'], 'supportedVersions' | 'capabilities'>;

const profile = (name: string, parts: ProfileParts): KubeObject =>
  clusterProfiles.object(
    { name },
    { providerRef: { name: builtInProviderName }, providerConfigRef: { name }, ...parts },
  );

function defaultPurposes(): Purposes {
  const goesWithLast = { labels: { [clusterNames.deleteWithoutRequestsLabel]: 'true' } };
  return {
    // Who asks for the platform cluster needs its API; the operator alone runs pods there.
    platform: { ...rule('local', 'platform', 'Shared'), requiredCapabilities: ['API'] },
    onboarding: rule('logical', 'onboarding', 'Shared'),
    mcp: rule('logical', 'mcp', 'Exclusive', goesWithLast),
    workload: { ...rule('local', 'workload', 'Shared', goesWithLast), requiredCapabilities: ['API', 'Run'] },
    fleet: { ...rule('local', 'fleet', 'Exclusive', goesWithLast), requiredCapabilities: ['API', 'Run'] },
  };
}

function defaultConfig(): KubeObject {
  const purposes = defaultPurposes();
  const annotations = { [clusterNames.defaultPurposesAnnotation]: Object.keys(purposes).join() };
  return schedulerConfigs.object(
    { name: 'default', annotations },
    { scope: 'Cluster', strategy: 'Balanced', purposes },
  );
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
