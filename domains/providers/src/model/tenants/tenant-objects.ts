import type { KubeObject } from '@chandlery/api';
import type { DesiredObject } from '@chandlery/runtime';
import { projects, type Tenant, type TenantRole, tenantRoles, workspaces } from '../../kinds/index.ts';
import { type Member, type Subject, subjectsOf } from './members.ts';
import {
  clusterRole,
  levelRole,
  managedByTenants,
  readComponents,
  type TenantLevel,
  verbsOnOwn,
} from './role-rules.ts';
import type { TenantPlace } from './tenant-place.ts';

const rbac = 'rbac.authorization.k8s.io';

/** The namespace of a tenant. */
export const namespaceOf = ({ namespace, labels }: TenantPlace): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: { ...managedByTenants, ...labels } },
});

/** Gives members rights in the tenant's namespace. */
export const bindingsInside = (
  level: TenantLevel,
  { namespace }: TenantPlace,
  members: readonly Member[],
): readonly DesiredObject[] =>
  tenantRoles.map(role => ({
    plural: 'rolebindings',
    object: binding('RoleBinding', {
      metadata: { name: `chandlery:${role}`, namespace },
      roleRef: { kind: 'ClusterRole', name: levelRole(level, role) },
      subjects: subjectsOf(members, role),
    }),
  }));

/** Gives members rights on the tenant object itself, and on no other of its kind. */
export const rightsOnTenant = (tenant: Tenant, members: readonly Member[]): readonly DesiredObject[] =>
  tenantRoles.flatMap(role => (tenant.kind === workspaces.kind ? onWorkspace : onProject)(tenant, members, role));

function onProject({ metadata: { name = '' } }: Tenant, members: readonly Member[], role: TenantRole): DesiredObject[] {
  const roleName = `chandlery:project:${name}:${role}`;
  const own = { apiGroups: [projects.group], resources: [projects.plural], resourceNames: [name] };
  return [
    { plural: 'clusterroles', object: clusterRole(roleName, [{ ...own, verbs: verbsOnOwn[role] }, readComponents]) },
    {
      plural: 'clusterrolebindings',
      object: binding('ClusterRoleBinding', {
        metadata: { name: roleName },
        roleRef: { kind: 'ClusterRole', name: roleName },
        subjects: subjectsOf(members, role),
      }),
    },
  ];
}

function onWorkspace({ metadata }: Tenant, members: readonly Member[], role: TenantRole): DesiredObject[] {
  const { name = '', namespace = '' } = metadata;
  const roleName = `chandlery:workspace:${name}:${role}`;
  const own = { apiGroups: [workspaces.group], resources: [workspaces.plural], resourceNames: [name] };
  const { rules } = clusterRole(roleName, [{ ...own, verbs: verbsOnOwn[role] }]);
  const at = { name: roleName, namespace };
  const object = {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { ...at, labels: { ...managedByTenants } },
    rules,
  };
  const subjects = subjectsOf(members, role);
  return [
    { plural: 'roles', object },
    {
      plural: 'rolebindings',
      object: binding('RoleBinding', { metadata: at, roleRef: { kind: 'Role', name: roleName }, subjects }),
    },
  ];
}

interface Bound {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly Subject[];
}

const binding = (kind: string, { metadata, roleRef, subjects }: Bound): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind,
  metadata: { ...metadata, labels: { ...managedByTenants } },
  roleRef: { apiGroup: rbac, ...roleRef },
  subjects,
});
