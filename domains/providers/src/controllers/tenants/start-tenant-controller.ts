import type { KubeObject } from '@chandlery/api';
import {
  type Controller,
  controllerKeys,
  createController,
  type Informer,
  isDeleting,
  keyOf,
  type Step,
  type WatchSource,
} from '@chandlery/runtime';
import { providerNames, type Tenant, tenantsGroup } from '../../kinds/index.ts';
import { refs } from '../../model/tenants/refs.ts';
import type { TenantLevel } from '../../model/tenants/role-rules.ts';
import type { ServedKind } from '../../model/tenants/served-kinds.ts';
import type { Placement } from '../../model/tenants/tenant-place.ts';
import { awaitContents } from './await-contents.ts';
import { deleteNamespace } from './delete-namespace.ts';
import { ensureMembers } from './ensure-members.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { isIgnored, takeOperation } from './operation.ts';
import { notReady, reportReady } from './report-tenant.ts';
import { showFailure } from './show-failure.ts';
import type { TenantContext } from './tenant-context.ts';
import type { TenantDeps } from './tenant-deps.ts';

/** The differences between projects and workspaces. */
export interface TenantController {
  readonly level: TenantLevel;
  readonly kind: { readonly kind: string; readonly plural: string; readonly ref: TenantRef };
  readonly informer: Informer<Tenant>;
  readonly place: (tenant: Tenant) => Placement;
  readonly blockingKinds: () => readonly ServedKind[];
  /** Run before all other steps. */
  readonly firstSteps?: readonly Step<Tenant, TenantDeps>[];
  /** Run before the tenant is reported ready. */
  readonly lastSteps?: readonly Step<Tenant, TenantDeps>[];
  /** Run after its namespace is deleted. */
  readonly finalSteps?: readonly Step<Tenant, TenantDeps>[];
  readonly watches?: readonly WatchSource[];
}

type TenantRef = { readonly group: string; readonly version: string; readonly plural: string };

const byNamespace = 'tenant-namespace';

/** Starts the controller of a level; the caller stops it. */
export function startTenantController(context: TenantContext, options: TenantController): Controller {
  const { level, kind, informer, place, blockingKinds, firstSteps = [], watches = [] } = options;
  const { lastSteps = [], finalSteps = [] } = options;
  informer.addIndex(byNamespace, tenant => namespacesOf(place(tenant)));
  const { objects, logger, metrics } = context;
  const controller = createController<Tenant, TenantDeps>({
    name: kind.plural,
    client: context.onboarding,
    for: { ref: kind.ref, informer },
    owns: ownedSources(context, options),
    watches: [{ informer: context.configs, mapToKeys: () => informer.list().map(keyOf) }, ...watches],
    finalizer: providerNames.tenantFinalizer,
    steps: [
      takeOperation,
      ...firstSteps,
      shown(ensureNamespace),
      shown(ensureMembers),
      ...lastSteps.map(shown),
      reportReady,
    ],
    onDelete: [takeOperation, shown(awaitContents), shown(deleteNamespace), ...finalSteps.map(shown)],
    isPaused: isIgnored,
    concurrency: 4,
    needs: {
      level,
      place,
      blockingKinds,
      config: context.config,
      findNamespace: name => objects.find({ ...refs.namespaces, name }),
      createNamespace: namespace => objects.create(refs.namespaces, namespace),
      deleteNamespace: namespace => objects.remove(refs.namespaces, namespace),
      apply: objects.apply,
      listIn: (namespace, { group, version, plural }) => objects.list({ group, version, plural, namespace }),
    },
    logger,
    ...(metrics === undefined ? {} : { metrics }),
  });
  enqueueDeleting(context, informer, controller);
  controller.start();
  return controller;
}

/** Objects in a tenant's namespace are mapped by it; those that the tenant owns, by their owner. */
function ownedSources(context: TenantContext, { kind, informer }: TenantController): WatchSource[] {
  const inNamespace = (namespace: string | undefined): string[] =>
    informer.byIndex(byNamespace, namespace ?? '').map(keyOf);
  const owner = { group: tenantsGroup, kind: kind.kind };
  const owned = (object: KubeObject): string[] => controllerKeys(object, owner);
  return [
    { informer: context.namespaces, mapToKeys: ({ metadata }) => inNamespace(metadata.name) },
    { informer: context.roles, mapToKeys: owned },
    {
      informer: context.roleBindings,
      mapToKeys: binding => [...owned(binding), ...inNamespace(binding.metadata.namespace)],
    },
    { informer: context.clusterRoles, mapToKeys: owned },
    { informer: context.clusterRoleBindings, mapToKeys: owned },
  ];
}

/** Blocking objects may be of any kind. */
function enqueueDeleting({ kinds }: TenantContext, informer: Informer<Tenant>, controller: Controller): void {
  const enqueue = (tenants: readonly Tenant[]): void => {
    for (const tenant of tenants) if (isDeleting(tenant)) controller.enqueue(keyOf(tenant));
  };
  kinds.listen({
    objectChanged: (_kind, { metadata }) => enqueue(informer.byIndex(byNamespace, metadata.namespace ?? '')),
    kindsChanged: () => enqueue(informer.list()),
  });
}

const namespacesOf = (placement: Placement): string[] =>
  placement.type === 'place' ? [placement.place.namespace] : [];

const shown = (step: Step<Tenant, TenantDeps>): Step<Tenant, TenantDeps> =>
  showFailure(step, (tenant, message, now) => {
    notReady(tenant, { reason: 'OnboardingClusterInteractionProblem', message }, now);
  });
