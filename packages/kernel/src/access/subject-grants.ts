import type { KubeObject } from '@chandlery/api';
import type { PolicyRule } from './rbac.ts';
import { type RoleRef, roleRefOf, type Subject, subjectsOf } from './rbac-objects.ts';
import type { RoleBook } from './role-book.ts';
import { serviceAccountUsername } from './user.ts';

/** A role given to one subject by one binding. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly roleRef: RoleRef;
  /** Kind and name of the binding, for the reason of a decision. */
  readonly bindingKind: 'ClusterRoleBinding' | 'RoleBinding';
  readonly bindingName: string;
}

/** Grants by the very rules that they give: one role is granted once, however many bindings give it. */
type GrantsByRules = Map<readonly PolicyRule[], Grant>;

/** What one user or group may do: everywhere, and in single namespaces. */
export class SubjectGrants {
  readonly #everywhere: GrantsByRules = new Map();
  #byNamespace: Map<string, GrantsByRules> | undefined;

  /** `namespace` is undefined for a ClusterRoleBinding. */
  add(namespace: string | undefined, grant: Grant): void {
    const grants = namespace === undefined ? this.#everywhere : this.#inNamespace(namespace);
    // A second binding to the same role adds nothing; a thousand of them must not slow decisions down.
    if (!grants.has(grant.rules)) grants.set(grant.rules, grant);
  }

  everywhere(): Iterable<Grant> {
    return this.#everywhere.values();
  }

  within(namespace: string): Iterable<Grant> {
    return this.#byNamespace?.get(namespace)?.values() ?? noGrants;
  }

  /** Those with grants of their own. */
  namespaces(): readonly string[] {
    return [...(this.#byNamespace?.keys() ?? [])];
  }

  #inNamespace(namespace: string): GrantsByRules {
    this.#byNamespace ??= new Map();
    const known = this.#byNamespace.get(namespace);
    if (known !== undefined) return known;
    const grants: GrantsByRules = new Map();
    this.#byNamespace.set(namespace, grants);
    return grants;
  }
}

const noGrants: readonly Grant[] = [];

/** The grants of one logical cluster by user and by group. */
export interface GrantIndex {
  readonly users: ReadonlyMap<string, SubjectGrants>;
  readonly groups: ReadonlyMap<string, SubjectGrants>;
}

/** Indexes bindings by their subjects. A binding to a missing role makes its subjects known but grants nothing. */
export function indexGrants(
  bindings: { readonly roleBindings: Iterable<KubeObject>; readonly clusterRoleBindings: Iterable<KubeObject> },
  roles: RoleBook,
): GrantIndex {
  const index = { users: new Map<string, SubjectGrants>(), groups: new Map<string, SubjectGrants>() };
  for (const binding of bindings.clusterRoleBindings) addBinding(index, binding, undefined, roles);
  for (const binding of bindings.roleBindings) addBinding(index, binding, binding.metadata.namespace ?? '', roles);
  return index;
}

interface MutableGrantIndex {
  readonly users: Map<string, SubjectGrants>;
  readonly groups: Map<string, SubjectGrants>;
}

function addBinding(
  index: MutableGrantIndex,
  binding: KubeObject,
  namespace: string | undefined,
  roles: RoleBook,
): void {
  const grant = grantOf(binding, namespace, roles);
  for (const subject of subjectsOf(binding)) {
    const grants = grantsOfSubject(index, subject, namespace ?? '');
    if (grant !== undefined) grants?.add(namespace, grant);
  }
}

function grantOf(binding: KubeObject, namespace: string | undefined, roles: RoleBook): Grant | undefined {
  const roleRef = roleRefOf(binding);
  // A ClusterRoleBinding can only give a ClusterRole; validation rejects others, the lookup finds none.
  const rules = roles.rules(roleRef, namespace ?? '');
  if (rules === undefined) return undefined;
  const bindingKind = namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
  return { rules, roleRef, bindingKind, bindingName: qualifiedName(binding) };
}

const qualifiedName = ({ metadata: { namespace, name = '' } }: KubeObject): string =>
  namespace === undefined ? name : `${name}/${namespace}`;

function grantsOfSubject(
  index: MutableGrantIndex,
  subject: Subject,
  bindingNamespace: string,
): SubjectGrants | undefined {
  switch (subject.kind) {
    case 'User':
      return entry(index.users, subject.name);
    case 'Group':
      return entry(index.groups, subject.name);
    case 'ServiceAccount': {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === ''
        ? undefined
        : entry(index.users, serviceAccountUsername({ namespace, name: subject.name }));
    }
    default:
      return undefined;
  }
}

function entry(grants: Map<string, SubjectGrants>, key: string): SubjectGrants {
  const known = grants.get(key);
  if (known !== undefined) return known;
  const made = new SubjectGrants();
  grants.set(key, made);
  return made;
}
