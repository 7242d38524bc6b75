import type { KubeObject, LabelSelectorObject } from '@chandlery/api';
import type { PolicyRule } from './rbac.ts';

/** The API group of roles and bindings. */
export const rbacGroup = 'rbac.authorization.k8s.io';

/** To whom a binding grants its role. */
export interface Subject {
  readonly kind: string;
  readonly name: string;
  /** Of a service account. Default: the binding's namespace. */
  readonly namespace?: string;
}

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/** The RBAC objects of one logical cluster. */
export interface RbacObjects {
  readonly roles: readonly KubeObject[];
  readonly clusterRoles: readonly KubeObject[];
  readonly roleBindings: readonly KubeObject[];
  readonly clusterRoleBindings: readonly KubeObject[];
}

// The API server has validated these objects before they were stored; absent lists are legal.
export const rulesOf = (role: KubeObject): readonly PolicyRule[] =>
  (role['rules'] as PolicyRule[] | null | undefined) ?? [];

export const subjectsOf = (binding: KubeObject): readonly Subject[] =>
  (binding['subjects'] as Subject[] | null | undefined) ?? [];

export const roleRefOf = (binding: KubeObject): RoleRef => binding['roleRef'] as RoleRef;

/** The selectors of roles whose rules an aggregated ClusterRole takes over; undefined for an ordinary role. */
export function aggregationOf(role: KubeObject): readonly LabelSelectorObject[] | undefined {
  const rule = role['aggregationRule'] as { clusterRoleSelectors?: LabelSelectorObject[] } | null | undefined;
  return rule ? (rule.clusterRoleSelectors ?? []) : undefined;
}
