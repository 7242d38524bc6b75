import type { KubeObject } from '@chandlery/api';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import { ClusterAccess } from './cluster-access.ts';
import type { PolicyRule } from './rbac.ts';
import { rbacGroup, type Subject } from './rbac-objects.ts';
import { type UserInfo, wellKnown } from './user.ts';

// Builders for the tests of this folder.

const apiVersion = `${rbacGroup}/v1`;

export const user = (name: string): Subject => ({ kind: 'User', name });
export const group = (name: string): Subject => ({ kind: 'Group', name });

export const person = (username: string, ...groups: string[]): UserInfo => ({
  username,
  groups: [...groups, wellKnown.authenticated],
});

export const role = (namespace: string, name: string, ...rules: PolicyRule[]): KubeObject => ({
  apiVersion,
  kind: 'Role',
  metadata: { namespace, name },
  rules,
});

export const clusterRole = (name: string, ...rules: PolicyRule[]): KubeObject => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
});

export function roleBinding(namespace: string, name: string, roleRef: string, ...subjects: Subject[]): KubeObject {
  const [kind, roleName] = roleRef.split('/');
  return {
    apiVersion,
    kind: 'RoleBinding',
    metadata: { namespace, name },
    roleRef: { apiGroup: rbacGroup, kind, name: roleName },
    subjects,
  };
}

export const clusterRoleBinding = (name: string, roleName: string, ...subjects: Subject[]): KubeObject => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: roleName },
  subjects,
});

/** Access to a logical cluster that holds the bootstrap policy and these objects. */
export function accessWith(...objects: KubeObject[]): ClusterAccess {
  const all = [...bootstrapPolicy(), ...objects];
  const ofKind = (kind: string) => all.filter(object => object.kind === kind);
  return new ClusterAccess({
    roles: ofKind('Role'),
    clusterRoles: ofKind('ClusterRole'),
    roleBindings: ofKind('RoleBinding'),
    clusterRoleBindings: ofKind('ClusterRoleBinding'),
  });
}
