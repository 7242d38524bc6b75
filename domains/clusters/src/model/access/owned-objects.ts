import type { KubeObject } from '@chandlery/api';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

/** The kinds of the objects on a cluster, in the order of creation; they are deleted in reverse order. */
export const ownedKinds = [
  { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount' },
  { ...rbac, plural: 'roles', kind: 'Role' },
  { ...rbac, plural: 'clusterroles', kind: 'ClusterRole' },
  { ...rbac, plural: 'rolebindings', kind: 'RoleBinding' },
  { ...rbac, plural: 'clusterrolebindings', kind: 'ClusterRoleBinding' },
] as const;

export type OwnedKind = (typeof ownedKinds)[number];

/** An object on a cluster that belongs to a request. */
export interface OwnedObject {
  readonly kind: OwnedKind;
  readonly object: KubeObject;
}

/** A desired object. */
export interface WantedObject extends OwnedObject {
  /** Its name is unique to the request, so that an object without our labels is ours as well. */
  readonly isNameOurs: boolean;
}

/** The subject of a binding. */
export type Subject =
  | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace?: string }
  | { readonly kind: 'User' | 'Group'; readonly name: string; readonly apiGroup: string };

export const rbacGroup: string = rbac.group;

/** Finds the kind by its name in objects. */
export function ownedKind(name: OwnedKind['kind']): OwnedKind {
  const index = ownedKinds.findIndex(({ kind }) => kind === name);
  return ownedKinds[index] ?? ownedKinds[0];
}

/** Identifies an object among all kinds. */
export const idOf = ({ kind, object: { metadata } }: OwnedObject): string =>
  `${kind.kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
