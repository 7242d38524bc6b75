import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { type ControllerMetrics, installKinds, SharedInformers } from '@chandlery/runtime';
import { tenantPorts } from './adapters/tenant-ports.ts';
import { startOperator } from './controllers/operator/start-operator.ts';
import { startRetainedServices } from './controllers/retained-services/start-retained-services.ts';
import { startTenants } from './controllers/tenants/start-tenants.ts';
import {
  accessRecords,
  clusterProviders,
  componentBindings,
  components,
  controlPlaneConfigs,
  controlPlanes,
  platformServices,
  projects,
  projectWorkspaceConfigs,
  providerNames,
  retainedServices,
  serviceProviders,
  workspaces,
} from './kinds/index.ts';

import type { ProviderMetrics } from './metrics.ts';
import type { ConnectCluster } from './ports.ts';

type OperatorOptions = Parameters<typeof startOperator>[0];
type TenantsOptions = Parameters<typeof startTenants>[0];

export interface ProvidersOptions
  extends Pick<OperatorOptions, 'readPodLog' | 'runsPods'>,
    Pick<TenantsOptions, 'tenantClusters'> {
  /** The platform cluster, which must serve the kinds of clusters. */
  readonly platform: Client;
  readonly onboarding: Client;
  /** Distinguishes landscapes that share clusters. Default `default`. */
  readonly environment?: string;
  readonly logger: Logger;
  /** How kubeconfigs become clients. Default: over the network. */
  readonly connect?: ConnectCluster;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
  /** Default: nothing is counted. */
  readonly providerMetrics?: ProviderMetrics;
}

const kinds = [
  accessRecords,
  serviceProviders,
  clusterProviders,
  platformServices,
  controlPlaneConfigs,
  projects,
  workspaces,
  projectWorkspaceConfigs,
  components,
  componentBindings,
  controlPlanes,
  retainedServices,
] as const;

/** Installs the kinds of providers and tenants and starts all controllers of the domain. Clients stay the caller's. */
export async function startProviders(options: ProvidersOptions): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const { platform, onboarding, environment = 'default', logger } = options;
  const fieldManager = 'chandlery-providers';
  await installKinds(platform, definitionsFor('platform'), { fieldManager });
  await installKinds(onboarding, definitionsFor('onboarding'), { fieldManager });
  const informers = stack.use(new SharedInformers());
  stack.use(await startOperator({ ...options, environment, informers }));
  stack.use(await startTenants({ ...options, ports: tenantPorts, informers }));
  stack.use(startRetainedServices({ ...options, informers }));
  countObjects(options, informers, stack);
  logger.debug('provider controllers started');
  return stack.move();
}

function countObjects(
  { platform, onboarding, providerMetrics }: ProvidersOptions,
  informers: SharedInformers,
  stack: AsyncDisposableStack,
): void {
  if (providerMetrics === undefined) return;
  const stop = providerMetrics.count({
    serviceProviders: informers.informer({ client: platform, ref: serviceProviders.ref }),
    controlPlanes: informers.informer({ client: onboarding, ref: controlPlanes.ref }),
  });
  stack.defer(stop);
}

/** Selects definitions by the label that names their cluster. */
const definitionsFor = (cluster: 'platform' | 'onboarding'): KubeObject[] =>
  kinds.map(({ crd }) => crd).filter(({ metadata }) => metadata.labels?.[providerNames.clusterLabel] === cluster);
