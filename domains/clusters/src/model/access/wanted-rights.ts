import { firstRepeated } from '@chandlery/api';
import type { AccessRequest } from '../../kinds/index.ts';
import { accessHash, accessNamespace, type Granter, labelsFor } from './access-names.ts';
import { prefixedSubjects } from './oidc-subjects.ts';
import { idOf, ownedKind, rbacGroup, type Subject, type WantedObject } from './owned-objects.ts';

type TokenAccess = NonNullable<AccessRequest['spec']['token']>;
type Permission = NonNullable<TokenAccess['permissions']>[number];
type RoleRef = NonNullable<TokenAccess['roleRefs']>[number];

/** A namespace that must exist before its roles. */
export interface WantedNamespace {
  readonly name: string;
  /** False: another client creates it. */
  readonly isMade: boolean;
}

/** The desired objects of a request on its cluster. */
export type WantedRights =
  | {
      readonly type: 'wanted';
      readonly namespaces: readonly WantedNamespace[];
      readonly objects: readonly WantedObject[];
    }
  | { readonly type: 'refused'; readonly reason: string; readonly message: string };

/** A role and its subjects. */
interface Grant {
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

/** Derives all objects on the cluster from a request. */
export function wantedRights(request: AccessRequest, granter: Granter): WantedRights {
  const { name = '', namespace = '' } = request.metadata;
  const place = { name, namespace };
  const make: Maker = { hash: accessHash(granter, place), labels: labelsFor(granter, place) };
  const { token, oidc } = request.spec;
  if (token !== undefined) return checked(tokenRights(make, token), token.roleRefs ?? []);
  if (oidc === undefined) return rejected('NothingRequested', 'Neither token nor oidc is set in the spec.');
  const roles = (oidc.roles ?? []).map((permission, index) => roleOf(make, permission, index));
  const grants = (oidc.roleBindings ?? []).flatMap(({ subjects, roleRefs }) =>
    roleRefs.map(roleRef => ({ roleRef, subjects: prefixedSubjects(oidc, subjects) })),
  );
  const objects = [...roles, ...grants.map((grant, index) => grantOf(make, grant, index))];
  const roleRefs = grants.map(({ roleRef }) => roleRef);
  return checked({ objects, namespaces: namespacesOf(oidc.roles ?? [], roleRefs) }, roleRefs);
}

/** The namespaces that a request needs on its cluster, created by it or not. */
export function namespacesWanted({ spec: { token, oidc } }: AccessRequest): readonly string[] {
  const roleRefs = token?.roleRefs ?? oidc?.roleBindings?.flatMap(binding => binding.roleRefs) ?? [];
  const named = namespacesOf(token?.permissions ?? oidc?.roles ?? [], roleRefs).map(({ name }) => name);
  return token === undefined ? named : [accessNamespace, ...named];
}

interface Maker {
  readonly hash: string;
  readonly labels: Readonly<Record<string, string>>;
}

type Rights = Omit<Extract<WantedRights, { type: 'wanted' }>, 'type'>;

function tokenRights(make: Maker, { permissions = [], roleRefs = [] }: TokenAccess): Rights {
  const subjects: readonly Subject[] = [{ kind: 'ServiceAccount', name: make.hash, namespace: accessNamespace }];
  return {
    namespaces: [{ name: accessNamespace, isMade: true }, ...namespacesOf(permissions, roleRefs)],
    objects: [
      wanted(make, 'ServiceAccount', { name: make.hash, namespace: accessNamespace }),
      ...permissions.map((permission, index) => roleOf(make, permission, index)),
      ...permissions.map((permission, index) => permissionBindingOf(make, { permission, subjects }, index)),
      ...roleRefs.map((roleRef, index) => grantOf(make, { roleRef, subjects }, index)),
    ],
  };
}

const permissionName = ({ hash }: Maker, index: number): string => `openmcp:permission:${hash}:${index}`;

function roleOf(make: Maker, permission: Permission, index: number): WantedObject {
  const { namespace, rules } = permission;
  const kind = namespace ? 'Role' : 'ClusterRole';
  const name = permission.name || permissionName(make, index);
  return { ...wanted(make, kind, { name, namespace }, { rules }), isNameOurs: !permission.name };
}

function permissionBindingOf(
  make: Maker,
  { permission, subjects }: { readonly permission: Permission; readonly subjects: readonly Subject[] },
  index: number,
): WantedObject {
  const { namespace } = permission;
  const name = permissionName(make, index);
  const roleRef = { kind: namespace ? 'Role' : 'ClusterRole', name: permission.name || name } as const;
  return binding(make, { name, namespace }, { roleRef, subjects });
}

function grantOf(make: Maker, grant: Grant, index: number): WantedObject {
  const { namespace } = grant.roleRef;
  return binding(make, { name: `openmcp:roleref:${make.hash}:${index}`, namespace }, grant);
}

function binding(make: Maker, place: Place, { roleRef: { kind, name }, subjects }: Grant): WantedObject {
  const roleRef = { apiGroup: rbacGroup, kind, name };
  return wanted(make, place.namespace ? 'RoleBinding' : 'ClusterRoleBinding', place, { subjects, roleRef });
}

interface Place {
  readonly name: string;
  readonly namespace?: string | undefined;
}

function wanted(make: Maker, kind: WantedObject['kind']['kind'], place: Place, fields: object = {}): WantedObject {
  const owned = ownedKind(kind);
  const apiVersion = owned.group === '' ? owned.version : `${owned.group}/${owned.version}`;
  const metadata = {
    name: place.name,
    ...(place.namespace ? { namespace: place.namespace } : {}),
    labels: { ...make.labels },
  };
  return { kind: owned, object: { apiVersion, kind, metadata, ...fields }, isNameOurs: true };
}

/**
 * Without duplicates; one that any permission allows to create is created. Those of existing roles are never created.
 */
function namespacesOf(permissions: readonly Permission[], roleRefs: readonly RoleRef[]): readonly WantedNamespace[] {
  const made = new Map<string, boolean>();
  for (const { namespace } of roleRefs) if (namespace) made.set(namespace, false);
  for (const { namespace, disableAutomaticNamespaceCreation = false } of permissions) {
    if (namespace) made.set(namespace, made.get(namespace) === true || !disableAutomaticNamespaceCreation);
  }
  return [...made].map(([name, isMade]) => ({ name, isMade })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function checked(rights: Rights, roleRefs: readonly RoleRef[]): WantedRights {
  const homeless = roleRefs.find(({ kind, namespace }) => kind === 'Role' && !namespace);
  if (homeless !== undefined) {
    return rejected(
      'InvalidRoleRef',
      `The Role "${homeless.name}" in roleRefs has no namespace; a Role always is in one.`,
    );
  }
  const twice = firstRepeated(rights.objects.map(idOf));
  if (twice !== undefined) {
    return rejected('DuplicateRole', `The name of ${twice} is given to two permissions; give each its own, or none.`);
  }
  return { type: 'wanted', ...rights };
}

const rejected = (reason: string, message: string): WantedRights => ({ type: 'refused', reason, message });
