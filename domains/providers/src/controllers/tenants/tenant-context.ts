import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { ControllerMetrics, Informer, SharedInformers } from '@chandlery/runtime';
import {
  type ProjectWorkspaceConfig,
  type Provider,
  projectWorkspaceConfigs,
  serviceProviders,
} from '../../kinds/index.ts';
import type { TenantClusters } from '../../model/components/tenant-cluster.ts';
import { refs } from '../../model/tenants/refs.ts';
import { managedByTenants } from '../../model/tenants/role-rules.ts';
import type { ServedKind } from '../../model/tenants/served-kinds.ts';
import { serviceKindsOf } from '../../model/tenants/served-kinds.ts';
import { tenantsManager } from '../../model/tenants/tenant-place.ts';
import type { ClusterObjects, KindWatch, OpenObjects } from '../../ports.ts';

/** The name of the configuration that is used. */
export const configName = 'default';

export interface TenantContextOptions {
  readonly platform: Client;
  readonly onboarding: Client;
  readonly informers: SharedInformers;
  readonly kinds: KindWatch;
  readonly openObjects: OpenObjects;
  /** The place of tenants' own APIs. Default: they have none. */
  readonly tenantClusters?: TenantClusters;
  readonly logger: Logger;
  readonly metrics?: ControllerMetrics;
}

/** What the controllers of roles, projects and workspaces share. */
export interface TenantContext extends TenantContextOptions {
  readonly objects: ClusterObjects;
  readonly providers: Informer<Provider>;
  readonly configs: Informer<ProjectWorkspaceConfig>;
  readonly namespaces: Informer;
  /** Contains objects with our label only. */
  readonly roles: Informer;
  readonly roleBindings: Informer;
  readonly clusterRoles: Informer;
  readonly clusterRoleBindings: Informer;
  readonly config: () => ProjectWorkspaceConfig['spec'];
  /** The served kinds of providers. */
  readonly serviceKinds: () => readonly ServedKind[];
}

/** Creates the context; informers are started by their users. */
export function createTenantContext(options: TenantContextOptions): TenantContext {
  const { platform, onboarding: client, informers, kinds, openObjects } = options;
  const labelSelector = Object.entries(managedByTenants)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  const kept = (ref: (typeof refs)[keyof typeof refs]): Informer<KubeObject> =>
    informers.informer({ client, ref, labelSelector });
  const providers = informers.informer<Provider>({ client: platform, ref: serviceProviders.ref });
  const configs = informers.informer<ProjectWorkspaceConfig>({ client, ref: projectWorkspaceConfigs.ref });
  return {
    ...options,
    objects: openObjects(client, tenantsManager),
    providers,
    configs,
    namespaces: informers.informer({ client, ref: refs.namespaces }),
    roles: kept(refs.roles),
    roleBindings: kept(refs.roleBindings),
    clusterRoles: kept(refs.clusterRoles),
    clusterRoleBindings: kept(refs.clusterRoleBindings),
    config: () => configs.get(undefined, configName)?.spec ?? {},
    serviceKinds: () => kinds.served(serviceKindsOf(providers.list())),
  };
}
