import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, notFound } from '@chandlery/api';
import type { ClusterAccess } from './cluster-access.ts';
import { forbiddenEscalation } from './forbidden.ts';
import { allRights } from './rbac.ts';
import { aggregationOf, rbacGroup, roleRefOf, rulesOf, subjectsOf } from './rbac-objects.ts';
import { missingPermissions } from './rule-cover.ts';
import { isMaster, type UserInfo } from './user.ts';

/** A write of a Role, ClusterRole, RoleBinding or ClusterRoleBinding, before it happens. */
export interface RbacWrite {
  readonly user: UserInfo;
  readonly object: KubeObject;
  /** The object as stored; undefined when it is being created. */
  readonly previous?: KubeObject | undefined;
}

/**
 * Throws Forbidden when a role would hold rights that its writer does not.
 *
 * Allowed are those who hold every right of the role themselves, or the verb `escalate` on it. An update that leaves
 * rules and labels alone is always fine. An aggregated role takes all rights to write, since its rules may come later.
 */
export function ensureMayWriteRole(access: ClusterAccess, { user, object, previous }: RbacWrite): void {
  if (isMaster(user) || (previous !== undefined && grantsTheSame(object, previous))) return;
  const { namespace = '', name = '' } = object.metadata;
  const target = { group: rbacGroup, resource: object.kind === 'ClusterRole' ? 'clusterroles' : 'roles' };
  if (access.authorize(user, { ...target, verb: 'escalate', namespace, name }).allowed) return;
  const aggregates =
    aggregationOf(object) !== undefined || (previous !== undefined && aggregationOf(previous) !== undefined);
  const missing = missingPermissions(access.heldRules(user, namespace), aggregates ? allRights : rulesOf(object));
  if (missing.length > 0) throw forbiddenEscalation({ ...target, name }, user, missing);
}

/**
 * Throws Forbidden when a binding would give away rights that its writer does not hold, and NotFound when they cannot
 * be known because the role is missing.
 *
 * Allowed are those who hold every right of the role in the binding's scope, or the verb `bind` on the role.
 */
export function ensureMayWriteBinding(access: ClusterAccess, { user, object, previous }: RbacWrite): void {
  if (isMaster(user) || (previous !== undefined && bindsTheSame(object, previous))) return;
  const { namespace = '', name = '' } = object.metadata;
  const roleRef = roleRefOf(object);
  const role = { group: rbacGroup, resource: roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles' };
  if (access.authorize(user, { ...role, verb: 'bind', namespace, name: roleRef.name }).allowed) return;
  const rules = access.rulesOfRole(roleRef, namespace);
  if (rules === undefined) throw notFound(role, roleRef.name);
  const missing = missingPermissions(access.heldRules(user, namespace), rules);
  const target = {
    group: rbacGroup,
    resource: object.kind === 'ClusterRoleBinding' ? 'clusterrolebindings' : 'rolebindings',
    name,
  };
  if (missing.length > 0) throw forbiddenEscalation(target, user, missing);
}

const grantsTheSame = (role: KubeObject, previous: KubeObject): boolean =>
  isDeepStrictEqual(rulesOf(role), rulesOf(previous)) &&
  isDeepStrictEqual(role['aggregationRule'], previous['aggregationRule']) &&
  isDeepStrictEqual(role.metadata.labels, previous.metadata.labels);

const bindsTheSame = (binding: KubeObject, previous: KubeObject): boolean =>
  isDeepStrictEqual(roleRefOf(binding), roleRefOf(previous)) &&
  isDeepStrictEqual(subjectsOf(binding), subjectsOf(previous));
