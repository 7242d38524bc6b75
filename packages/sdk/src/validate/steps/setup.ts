import { type Cluster, clusterProfiles, clusters } from '@chandlery/clusters/kinds';
import { clusterProviders, type Provider } from '@chandlery/providers/kinds';
import { isConditionTrue } from '@chandlery/runtime';
import { hold, until, type ValidationContext } from '../validation-context.ts';

/** SETUP a: all clusters of the landscape are ready. */
export async function checkClusters(context: ValidationContext): Promise<void> {
  await until(context, 'all clusters to be ready', async () => {
    const { items } = await context.platform.list<Cluster>(clusters.ref);
    const unready = items.filter(cluster => !isConditionTrue(cluster, 'Ready'));
    hold(items.length > 0, 'there are no clusters');
    hold(unready.length === 0, `not ready: ${unready.map(({ metadata }) => metadata.name).join(', ')}`);
    return true;
  });
}

/** SETUP b: a provider of clusters is ready. */
export async function checkClusterProvider(context: ValidationContext): Promise<void> {
  await until(context, 'a cluster provider to be ready', async () => {
    const { items } = await context.platform.list<Provider>(clusterProviders.ref);
    return items.some(({ status }) => status?.phase === 'Ready');
  });
  const profiles = await context.platform.list(clusterProfiles.ref);
  hold(profiles.items.length > 0, 'there is no ClusterProfile, so no cluster can be made');
}
