import { isError, type KubeObject, toError } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import type { ControllerMetrics, Informer, SharedInformers } from '@chandlery/runtime';
import { controlPlaneConfigs, projectWorkspaceConfigs } from '../../kinds/index.ts';
import type { TenantClusters } from '../../model/components/tenant-cluster.ts';
import { defaultBlockingKinds, kindsBlockingProject, kindsBlockingWorkspace } from '../../model/tenants/remaining.ts';
import { serviceKindsOf } from '../../model/tenants/served-kinds.ts';
import type { TenantPorts } from '../../ports.ts';
import { startComponentBindings } from '../components/start-component-bindings.ts';
import { startControlPlanes } from '../control-planes/start-control-planes.ts';
import { startProjects } from '../projects/start-projects.ts';
import { startWorkspaces } from '../workspaces/start-workspaces.ts';
import { startTenantRoles } from './start-tenant-roles.ts';
import { configName, createTenantContext, type TenantContext } from './tenant-context.ts';

export interface TenantsOptions {
  readonly ports: TenantPorts;
  readonly platform: Client;
  readonly onboarding: Client;
  readonly informers: SharedInformers;
  /** The place of tenants' own APIs. Default: they have none. */
  readonly tenantClusters?: TenantClusters;
  readonly logger: Logger;
  readonly metrics?: ControllerMetrics;
}

/** Starts the controllers of projects, workspaces and control planes. Their kinds must be installed. */
export async function startTenants(options: TenantsOptions): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const { onboarding, logger, ports } = options;
  const kinds = stack.use(ports.watchKinds({ client: onboarding, wanted: () => wantedKinds(context), logger }));
  const context = createTenantContext({ ...options, openObjects: ports.openObjects, kinds });
  await keepConfigs(stack, context);
  await Promise.all([context.providers.synced, context.configs.synced]);
  await kinds.start();
  const unlisten = [context.providers, context.configs].map(informer => {
    const refresh = (): void => kinds.refresh();
    return informer.listen({ added: refresh, updated: refresh, deleted: refresh });
  });
  stack.defer(() => unlisten.forEach(stop => stop()));
  const starts = [startTenantRoles, startProjects, startWorkspaces, startComponentBindings, startControlPlanes];
  for (const start of starts) stack.use(start(context));
  return stack.move();
}

/** The kinds whose objects block the deletion of a tenant or a control plane. */
const wantedKinds = ({ config, providers }: TenantContext) => {
  const serviceKinds = serviceKindsOf(providers.list());
  return [...kindsBlockingProject(config()), ...kindsBlockingWorkspace(config(), serviceKinds)];
};

async function keepConfigs(stack: AsyncDisposableStack, context: TenantContext): Promise<void> {
  const { platform, onboarding, informers, logger, configs } = context;
  const { project, workspace } = defaultBlockingKinds;
  const tenantConfig = projectWorkspaceConfigs.object(
    { name: configName },
    {
      project: { resourcesBlockingDeletion: [...project] },
      workspace: { resourcesBlockingDeletion: [...workspace] },
    },
  );
  const controlPlaneConfig = controlPlaneConfigs.object(
    { name: configName },
    { mcpClusterPurpose: 'mcp', reconcileMCPEveryXDays: 0 },
  );
  const { ref } = controlPlaneConfigs;
  const platformConfigs = informers.informer({ client: platform, ref });
  stack.use(
    await keepConfig({
      client: onboarding,
      ref: projectWorkspaceConfigs.ref,
      config: tenantConfig,
      informer: configs,
      logger,
    }),
  );
  stack.use(await keepConfig({ client: platform, ref, config: controlPlaneConfig, informer: platformConfigs, logger }));
}

interface KeptConfig {
  readonly client: Pick<Client, 'create'>;
  readonly ref: ResourceRef;
  /** Created when none of its name exists; changes by operators stay. */
  readonly config: KubeObject;
  readonly informer: Informer;
  readonly logger: Logger;
}

/** Creates a missing configuration, now and after each deletion: deleting it resets it. */
async function keepConfig({ client, ref, config, informer, logger }: KeptConfig): Promise<Disposable> {
  const create = async (): Promise<void> => {
    await client.create(ref, config).catch((error: unknown) => {
      if (!isError(error, 'AlreadyExists')) throw error;
    });
  };
  await create();
  const unlisten = informer.listen({
    deleted: ({ metadata }) => {
      if (metadata.name !== config.metadata.name) return;
      create().catch((error: unknown) => logger.warn(`cannot reset ${ref.plural}: ${toError(error).message}`));
    },
  });
  return { [Symbol.dispose]: unlisten };
}
