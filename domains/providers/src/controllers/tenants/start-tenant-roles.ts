import type { KubeObject } from '@chandlery/api';
import { type Controller, controllerOf, createController, type StepResult } from '@chandlery/runtime';
import {
  type Component,
  components,
  type ProjectWorkspaceConfig,
  projectWorkspaceConfigs,
  providerNames,
} from '../../kinds/index.ts';
import { componentsOf, type DescribedKind, surplusComponents } from '../../model/components/components-of.ts';
import { refs } from '../../model/tenants/refs.ts';
import { creatorObjects, isCreationOpen, levelRoles, managedByTenants } from '../../model/tenants/role-rules.ts';
import type { ServedKind } from '../../model/tenants/served-kinds.ts';
import { tenantsManager } from '../../model/tenants/tenant-place.ts';
import type { ClusterObjects } from '../../ports.ts';
import { configName, type TenantContext } from './tenant-context.ts';

interface Deps {
  readonly objects: Pick<ClusterObjects, 'find' | 'list' | 'apply' | 'remove'>;
  serviceKinds(): readonly ServedKind[];
  /** The components that tenants can choose. */
  components(): readonly Component[];
}

/** Starts the controller of the roles that all projects and workspaces share; the caller stops it. */
export function startTenantRoles(context: TenantContext): Controller {
  const { configs, objects, serviceKinds, logger, metrics } = context;
  // Objects with an owner belong to a single project.
  const enqueue = (object: KubeObject): string[] => (controllerOf(object) === undefined ? [configName] : []);
  const controller = createController<ProjectWorkspaceConfig, Deps>({
    name: 'tenant-roles',
    client: context.onboarding,
    for: { ref: projectWorkspaceConfigs.ref, informer: configs },
    owns: [
      { informer: context.clusterRoles, mapToKeys: enqueue },
      { informer: context.clusterRoleBindings, mapToKeys: enqueue },
    ],
    watches: [{ informer: context.providers, mapToKeys: enqueue }],
    filter: key => key === configName,
    isPaused: () => false,
    syncedCondition: false,
    hasObservedGeneration: false,
    steps: [ensureLevelRoles, ensureCreators, ensureComponents],
    needs: { objects, serviceKinds, components: () => componentsOf(context.providers.list(), describe(context)) },
    logger,
    ...(metrics === undefined ? {} : { metrics }),
  });
  context.kinds.listen({ objectChanged: () => undefined, kindsChanged: () => controller.enqueue(configName) });
  controller.start();
  return controller;
}

/** Applies the roles of members by level and role; they include the kinds of providers. */
async function ensureLevelRoles(config: ProjectWorkspaceConfig, deps: Deps): Promise<StepResult> {
  for (const object of levelRoles(config.spec, deps.serviceKinds())) {
    await deps.objects.apply({ plural: 'clusterroles', object });
  }
  return 'continue';
}

/** Lets all authenticated users create projects, unless an annotation of the configuration restricts it. */
async function ensureCreators(config: ProjectWorkspaceConfig, { objects }: Deps): Promise<StepResult> {
  const { role, binding } = creatorObjects();
  if (isCreationOpen(config)) {
    await objects.apply({ plural: 'clusterroles', object: role });
    await objects.apply({ plural: 'clusterrolebindings', object: binding });
    return 'continue';
  }
  await removeOwn(objects, refs.clusterRoleBindings, binding);
  await removeOwn(objects, refs.clusterRoles, role);
  return 'continue';
}

/** Creates the components that tenants can choose, and deletes the others. */
async function ensureComponents(_config: ProjectWorkspaceConfig, deps: Deps): Promise<StepResult> {
  const { objects } = deps;
  const wanted = deps.components();
  for (const object of wanted) await objects.apply({ plural: components.plural, object });
  for (const object of surplusComponents(await objects.list(components.ref, managedByTenants), wanted))
    await objects.remove(components.ref, object);
  return 'continue';
}

const describe =
  ({ kinds }: TenantContext) =>
  (wanted: Parameters<TenantContext['kinds']['served']>[0]): readonly DescribedKind[] =>
    kinds.served(wanted).map(kind => {
      const description = kinds.description(kind);
      return { ...kind, ...(description === undefined ? {} : { description }) };
    });

async function removeOwn(
  objects: Deps['objects'],
  ref: (typeof refs)['clusterRoles' | 'clusterRoleBindings'],
  { metadata: { name = '' } }: KubeObject,
): Promise<void> {
  const found = await objects.find({ ...ref, name });
  const isOurs = found?.metadata.labels?.[providerNames.managedByLabel] === tenantsManager;
  if (found !== undefined && isOurs) await objects.remove(ref, found);
}
