import type { KubeObject } from '@chandlery/api';
import {
  operations,
  serviceBindings,
  serviceInstances,
  serviceOfferings,
  servicePlans,
} from '@chandlery/brokers/kinds';
import { consumerRules, ordersKinds } from '@chandlery/orders/kinds';
import {
  componentBindings,
  components,
  controlPlanes,
  type ProjectWorkspaceConfig,
  projects,
  providerNames,
  retainedServices,
  type TenantRole,
  tenantRoles,
  workspaces,
} from '../../kinds/index.ts';
import type { ServedKind } from './served-kinds.ts';
import { tenantsManager } from './tenant-place.ts';

export type TenantLevel = 'project' | 'workspace';

/** A rule of RBAC. */
export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The ClusterRole, and its binding, that lets authenticated users create projects; see {@link isCreationOpen}. */
export const projectCreatorRole = 'chandlery:project-creator';
/**
 * On the ProjectWorkspaceConfig: `restricted` removes the right to create projects from authenticated users. Default:
 * `open`.
 */
export const projectCreationAnnotation = 'core.chandlery.io/project-creation';

const read = ['get', 'list', 'watch'] as const;
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;
const rbac = 'rbac.authorization.k8s.io';

/** All users of the platform may read the components. */
export const readComponents: Rule = { apiGroups: [components.group], resources: [components.plural], verbs: read };

/** The verbs of a role on an object of its own, such as its project. */
export const verbsOnOwn: Readonly<Record<TenantRole, readonly string[]>> = {
  admin: [...read, 'update', 'patch', 'delete'],
  view: read,
};

/** The ClusterRole that a level's role is bound to in the level's namespaces. */
export const levelRole = (level: TenantLevel, role: TenantRole): string => `chandlery:${level}:${role}`;

/** The label of objects that the tenant controllers manage. */
export const managedByTenants = { [providerNames.managedByLabel]: tenantsManager };

/** The ClusterRoles of all levels and roles. */
export function levelRoles(config: ProjectWorkspaceConfig['spec'], serviceKinds: readonly ServedKind[]): KubeObject[] {
  return (['project', 'workspace'] as const).flatMap(level =>
    tenantRoles.map(role =>
      clusterRole(levelRole(level, role), [
        ...ownRules(level, role, serviceKinds),
        ...(config[level]?.additionalPermissions?.[role] ?? []),
      ]),
    ),
  );
}

/** Whether all authenticated users may create projects. */
export const isCreationOpen = ({ metadata }: ProjectWorkspaceConfig): boolean =>
  metadata.annotations?.[projectCreationAnnotation] !== 'restricted';

/** Lets all authenticated users create projects; deleted when the creation is restricted. */
export const creatorObjects = (): { readonly role: KubeObject; readonly binding: KubeObject } => ({
  role: clusterRole(projectCreatorRole, [
    { apiGroups: [projects.group], resources: [projects.plural], verbs: ['create'] },
    readComponents,
  ]),
  binding: {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: projectCreatorRole, labels: managedByTenants },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: projectCreatorRole },
    subjects: [{ apiGroup: rbac, kind: 'Group', name: 'system:authenticated' }],
  },
});

/** A ClusterRole of the tenant controllers. */
export const clusterRole = (name: string, rules: readonly Rule[]): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRole',
  metadata: { name, labels: { ...managedByTenants } },
  rules,
});

/**
 * What members of a tenant may do with its objects; its own API shows those of `components/tenant-cluster.ts` only,
 * and controllers/tenants/README.md has the table.
 * Secrets contain kubeconfigs with all rights on a control plane: viewers must not read them.
 */
function ownRules(level: TenantLevel, role: TenantRole, serviceKinds: readonly ServedKind[]): Rule[] {
  const verbs = role === 'admin' ? [...read, ...write] : read;
  const always: Rule[] = [readOnly('namespaces'), readOnly('events')];
  if (level === 'project')
    return [...[workspaces, componentBindings].map(kind => ({ ...resource(kind), verbs })), ...always];
  return [
    { ...resource(controlPlanes), verbs },
    ...serviceKinds.map(kind => ({ ...resource(kind), verbs })),
    ...[serviceInstances, serviceBindings].map(kind => ({ ...resource(kind), verbs })),
    { ...resource(operations), verbs: read },
    // What the tenant itself offers, such as its services of the orders API, is in its marketplace.
    ...[serviceOfferings, servicePlans].map(kind => ({ ...resource(kind), verbs: read })),
    ...ordersRules(role),
    // Its content is written by the provider; members may delete it.
    { ...resource(retainedServices), verbs: role === 'admin' ? [...read, 'delete', 'deletecollection'] : read },
    ...(role === 'admin' ? [readOnly('secrets')] : []),
    ...always,
  ];
}

/** Members order services of the orders API in their workspace; viewers only read, and no secrets. */
const ordersRules = (role: TenantRole): readonly Rule[] => (role === 'admin' ? consumerRules : viewerRules);

const viewerRules: readonly Rule[] = consumerRules
  .filter(({ verbs }) => verbs.every(verb => read.some(known => known === verb)))
  .map(rule => ({ ...rule, resources: rule.resources.filter(plural => plural !== ordersKinds.secrets.plural) }));

const resource = ({ group, plural }: { readonly group: string; readonly plural: string }): Omit<Rule, 'verbs'> => ({
  apiGroups: [group],
  resources: [plural],
});
const readOnly = (plural: string): Rule => ({ apiGroups: [''], resources: [plural], verbs: read });
