import type { KubeObject } from '@chandlery/api';
import { isDeleting, type Step } from '@chandlery/runtime';
import type { Tenant } from '../../kinds/index.ts';
import { clusterNames, isClusterOf, type TenantCluster } from '../../model/components/tenant-cluster.ts';
import { notReady } from '../tenants/report-tenant.ts';
import type { TenantDeps } from '../tenants/tenant-deps.ts';

/** The dependencies of the steps for a project's own API. */
export interface TenantClusterDeps {
  find(name: string): Promise<TenantCluster | undefined>;
  /** Creates the logical cluster, or restores it. */
  apply(name: string, project: string): Promise<unknown>;
  remove(cluster: KubeObject): Promise<void>;
  url(name: string): string;
}

/** Creates the project's own API: a logical cluster with the project's namespaces. */
export const ensureTenantCluster = (clusters: TenantClusterDeps): Step<Tenant, TenantDeps> =>
  async function ensureTenantCluster(project, _deps, { now }) {
    const { name = '' } = project.metadata;
    for (const candidate of clusterNames(name)) {
      const found = await clusters.find(candidate);
      if (found !== undefined && !isClusterOf(found, name)) continue;
      if (found !== undefined && isDeleting(found)) return notReady(project, terminating(candidate), now);
      await clusters.apply(candidate, name);
      project.status = { ...project.status, cluster: { name: candidate, url: clusters.url(candidate) } };
      return 'continue';
    }
    return notReady(project, taken(name), now);
  };

/** Deletes the project's own API and waits until it is removed. Its objects are stored elsewhere. */
export const deleteTenantCluster = (clusters: TenantClusterDeps): Step<Tenant, TenantDeps> =>
  async function deleteTenantCluster(project, _deps, { now }) {
    const { name = '' } = project.metadata;
    for (const candidate of clusterNames(name)) {
      const found = await clusters.find(candidate);
      if (found === undefined || !isClusterOf(found, name)) continue;
      await clusters.remove(found);
      return notReady(project, terminating(candidate), now);
    }
    return 'continue';
  };

const terminating = (cluster: string) => ({
  reason: 'TenantClusterTerminating',
  message: `Logical cluster "${cluster}" is being deleted.`,
});

const taken = (project: string) => ({
  reason: 'TenantClusterConflict',
  message: `The logical clusters ${clusterNames(project).join(' and ')} belong to another owner; create the project again with another name.`,
});
