import { accessRequests, type ClusterRequest, clusterRequests, clusters } from '@chandlery/clusters/kinds';
import {
  type Controller,
  controllerKeys,
  createController,
  type Informer,
  isDeleting,
  keyOf,
  parseKey,
  type WatchSource,
} from '@chandlery/runtime';
import {
  type ControlPlane,
  type ControlPlaneConfig,
  controlPlaneConfigs,
  controlPlanes,
  providerNames,
  type RetainedService,
  retainedServices,
} from '../../kinds/index.ts';
import { offeredKinds } from '../../model/control-planes/bound-services.ts';
import { controlPlanesManager, identityOf } from '../../model/control-planes/control-plane-names.ts';
import { refs } from '../../model/tenants/refs.ts';
import { isIgnored, takeOperation } from '../tenants/operation.ts';
import { configName, type TenantContext } from '../tenants/tenant-context.ts';
import { awaitRetainedServices } from './await-retained-services.ts';
import type { ControlPlaneDeps, ControlPlaneStep } from './control-plane-deps.ts';
import { deleteAccess } from './delete-access.ts';
import { deleteClusterRequests } from './delete-cluster-requests.ts';
import { deleteServices } from './delete-services.ts';
import { deleteTenantNamespace } from './delete-tenant-namespace.ts';
import { ensureAccess } from './ensure-access.ts';
import { ensureClusterRequest } from './ensure-cluster-request.ts';
import { ensureTenantNamespace } from './ensure-tenant-namespace.ts';
import { listServices } from './list-services.ts';
import { reportReady, showing } from './report-control-plane.ts';
import { syncCluster } from './sync-cluster.ts';

const byTenantNamespace = 'tenant-namespace';
const byCluster = 'control-planes-cluster';
const onPlatform = 'PlatformClusterInteractionProblem';
const onOnboarding = 'OnboardingClusterInteractionProblem';

const steps: readonly ControlPlaneStep[] = [
  takeOperation,
  showing('Meta', onPlatform, ensureTenantNamespace),
  showing('ClusterRequestReady', onPlatform, ensureClusterRequest),
  showing('ClusterConditionsSynced', onPlatform, syncCluster),
  showing('AllAccessReady', onPlatform, ensureAccess),
  showing('ServicesListed', onOnboarding, listServices),
  reportReady,
];

const onDelete: readonly ControlPlaneStep[] = [
  takeOperation,
  showing('AllServicesDeleted', onOnboarding, deleteServices),
  showing('RetainedServicesEnded', onOnboarding, awaitRetainedServices),
  showing('AllAccessReady', onPlatform, deleteAccess),
  showing('AllClusterRequestsDeleted', onPlatform, deleteClusterRequests),
  showing('Meta', onPlatform, deleteTenantNamespace),
];

/** Starts the controller of control planes; the caller stops it. */
export function startControlPlanes(context: TenantContext): Controller {
  const { informers, platform, onboarding, logger, metrics } = context;
  const informer = informers.informer<ControlPlane>({ client: onboarding, ref: controlPlanes.ref });
  informer.addIndex(byTenantNamespace, controlPlane => [identityOf(controlPlane).tenantNamespace]);
  const configs = informers.informer<ControlPlaneConfig>({ client: platform, ref: controlPlaneConfigs.ref });
  const controller = createController<ControlPlane, ControlPlaneDeps>({
    name: controlPlanes.plural,
    client: onboarding,
    for: { ref: controlPlanes.ref, informer },
    owns: ownedSources(context, informer),
    watches: [{ informer: configs, mapToKeys: () => informer.list().map(keyOf) }],
    finalizer: providerNames.controlPlaneFinalizer,
    steps,
    onDelete,
    isPaused: isIgnored,
    concurrency: 4,
    tenantOf: key => parseKey(key).namespace ?? '',
    needs: {
      platform: context.openObjects(platform, controlPlanesManager),
      onboarding: context.openObjects(onboarding, controlPlanesManager),
      config: () => configs.get(undefined, configName)?.spec ?? { mcpClusterPurpose: 'mcp', reconcileMCPEveryXDays: 0 },
      offeredKinds: () => offeredKinds(context.providers.list(), claims => context.kinds.served(claims)),
    },
    logger,
    ...(metrics === undefined ? {} : { metrics }),
  });
  followServices(context, informer, controller);
  controller.start();
  return controller;
}

/**
 * Maps objects on the platform by their namespace; clusters, which are in another one, by the request that they were
 * assigned to.
 */
function ownedSources(
  { informers, platform, onboarding }: TenantContext,
  informer: Informer<ControlPlane>,
): WatchSource[] {
  const keysOf = (namespace: string | undefined): string[] =>
    informer.byIndex(byTenantNamespace, namespace ?? '').map(keyOf);
  const inTenantNamespace = (ref: WatchSource['informer']['ref']): WatchSource => ({
    informer: informers.informer({ client: platform, ref }),
    mapToKeys: ({ metadata }) => keysOf(metadata.namespace),
  });
  const requests = informers.informer<ClusterRequest>({ client: platform, ref: clusterRequests.ref });
  requests.addIndex(byCluster, ({ status }) =>
    status?.cluster ? [`${status.cluster.namespace}/${status.cluster.name}`] : [],
  );
  const copies = informers.informer({
    client: onboarding,
    ref: refs.secrets,
    labelSelector: `${providerNames.managedByLabel}=${controlPlanesManager}`,
  });
  return [
    {
      informer: informers.informer({ client: platform, ref: refs.namespaces }),
      mapToKeys: ({ metadata }) => keysOf(metadata.name),
    },
    inTenantNamespace(refs.roleBindings),
    inTenantNamespace(clusterRequests.ref),
    inTenantNamespace(accessRequests.ref),
    inTenantNamespace(refs.secrets),
    {
      informer: informers.informer({ client: platform, ref: clusters.ref }),
      mapToKeys: cluster =>
        requests.byIndex(byCluster, keyOf(cluster)).flatMap(({ metadata }) => keysOf(metadata.namespace)),
    },
    {
      informer: informers.informer({ client: onboarding, ref: retainedServices.ref }),
      mapToKeys: retained => keysOfControlPlane(retained as RetainedService),
    },
    { informer: copies, mapToKeys: secret => controllerKeys(secret, controlPlanes) },
  ];
}

const keysOfControlPlane = ({ metadata, spec: { controlPlane } }: RetainedService): readonly string[] =>
  controlPlane === undefined ? [] : [`${metadata.namespace}/${controlPlane}`];

/** Enqueues the control plane of a service, which has its name and namespace, when a service is created or deleted. */
function followServices({ kinds }: TenantContext, informer: Informer<ControlPlane>, controller: Controller): void {
  kinds.listen({
    objectChanged: (_kind, { metadata }, change) => {
      const controlPlane = informer.get(metadata.namespace, metadata.name ?? '');
      if (controlPlane === undefined) return;
      if (change !== 'updated' || isDeleting(controlPlane)) controller.enqueue(keyOf(controlPlane));
    },
    kindsChanged: () => {
      const isAffected = (controlPlane: ControlPlane): boolean =>
        isDeleting(controlPlane) || (controlPlane.status?.services ?? []).length > 0;
      for (const controlPlane of informer.list().filter(isAffected)) controller.enqueue(keyOf(controlPlane));
    },
  });
}
