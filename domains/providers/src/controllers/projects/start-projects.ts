import type { Controller } from '@chandlery/runtime';
import { projects, type Tenant } from '../../kinds/index.ts';
import {
  logicalClusters,
  type TenantCluster,
  type TenantClusters,
  tenantCluster,
} from '../../model/components/tenant-cluster.ts';
import { kindsBlockingProject } from '../../model/tenants/remaining.ts';
import { managedByTenants } from '../../model/tenants/role-rules.ts';
import { placeProject, tenantLabels, tenantsManager } from '../../model/tenants/tenant-place.ts';
import { startTenantController } from '../tenants/start-tenant-controller.ts';
import type { TenantContext } from '../tenants/tenant-context.ts';
import { deleteTenantCluster, ensureTenantCluster, type TenantClusterDeps } from './ensure-tenant-cluster.ts';

/** Starts the controller of projects; the caller stops it. */
export function startProjects(context: TenantContext): Controller {
  const { informers, onboarding: client, tenantClusters } = context;
  const informer = informers.informer<Tenant>({ client, ref: projects.ref });
  const clusters = tenantClusters && clusterDeps(context, tenantClusters);
  const controller = startTenantController(context, {
    level: 'project',
    kind: projects,
    informer,
    place: ({ metadata: { name = '' } }) => placeProject(name),
    blockingKinds: () => context.kinds.served(kindsBlockingProject(context.config())),
    ...(clusters && { lastSteps: [ensureTenantCluster(clusters)], finalSteps: [deleteTenantCluster(clusters)] }),
  });
  if (clusters !== undefined) enqueueWithClusters(context, controller);
  return controller;
}

function clusterDeps({ platform, openObjects }: TenantContext, tenantClusters: TenantClusters): TenantClusterDeps {
  const objects = openObjects(platform, tenantsManager);
  return {
    find: name => objects.find<TenantCluster>({ ...logicalClusters, name }),
    apply: (name, project) =>
      objects.apply({ plural: logicalClusters.plural, object: tenantCluster(name, project, tenantClusters) }),
    remove: cluster => objects.remove(logicalClusters, cluster),
    url: name => `${tenantClusters.url}/clusters/${name}`,
  };
}

/**
 * Enqueues the project of a deleted logical cluster, which is created again, or whose project can then be deleted.
 * Changes of what it serves are ignored.
 */
function enqueueWithClusters({ informers, platform }: TenantContext, controller: Controller): void {
  const labelSelector = Object.entries(managedByTenants)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  const informer = informers.informer({
    client: platform,
    ref: logicalClusters,
    labelSelector,
    transform: ({ apiVersion, kind, metadata: { name, uid, resourceVersion, labels } }) => ({
      apiVersion,
      kind,
      metadata: { name, uid, resourceVersion, labels },
    }),
  });
  informer.listen({
    deleted: ({ metadata }) => {
      const project = metadata.labels?.[tenantLabels.project];
      if (project !== undefined) controller.enqueue(project);
    },
  });
  informer.start();
}
