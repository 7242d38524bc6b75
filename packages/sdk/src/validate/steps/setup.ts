import { type Cluster, clusterProfiles, clusters } from '@chandlery/clusters/kinds';
import { clusterProviders, type Provider } from '@chandlery/providers/kinds';
import { isConditionTrue } from '@chandlery/runtime';
import { hold, until, type ValidationWorld } from '../world.ts';

/** SETUP a: everything that the landscape knows as a cluster works. */
export async function checkClusters(world: ValidationWorld): Promise<void> {
  await until(world, 'all clusters to be ready', async () => {
    const { items } = await world.platform.list<Cluster>(clusters.ref);
    const unready = items.filter(cluster => !isConditionTrue(cluster, 'Ready'));
    hold(items.length > 0, 'there are no clusters');
    hold(unready.length === 0, `not ready: ${unready.map(({ metadata }) => metadata.name).join(', ')}`);
    return true;
  });
}

/** SETUP b: somebody makes clusters. */
export async function checkClusterProvider(world: ValidationWorld): Promise<void> {
  await until(world, 'a cluster provider to be ready', async () => {
    const { items } = await world.platform.list<Provider>(clusterProviders.ref);
    return items.some(({ status }) => status?.phase === 'Ready');
  });
  const profiles = await world.platform.list(clusterProfiles.ref);
  hold(profiles.items.length > 0, 'there is no ClusterProfile, so no cluster can be made');
}
