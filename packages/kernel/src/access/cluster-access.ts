import { bootstrapLabel } from './bootstrap-policy.ts';
import { allRights, isPathRequest, type PolicyRule, type RequestAttributes } from './rbac.ts';
import { type RbacObjects, type RoleRef, subjectsOf } from './rbac-objects.ts';
import { type Reach, type ReachAttributes, reachOf } from './reach.ts';
import { RoleBook } from './role-book.ts';
import { rulesAllow } from './rule-index.ts';
import { type Grant, type GrantIndex, indexGrants, type SubjectGrants } from './subject-grants.ts';
import { isMaster, type UserInfo, wellKnown } from './user.ts';

/** The answer to "may this user do that". */
export interface Decision {
  readonly allowed: boolean;
  /** Which binding allowed it; empty when nothing did. */
  readonly reason: string;
}

/** The rights of a user in a namespace, as a SelfSubjectRulesReview lists them. */
export interface EffectiveRules {
  readonly resourceRules: readonly PolicyRule[];
  readonly nonResourceRules: readonly PolicyRule[];
  /** Always false: all rules of a logical cluster are known. */
  readonly incomplete: boolean;
}

/**
 * Who may do what in one logical cluster: its roles and bindings, compiled. Immutable; make a new one when they change.
 *
 * Decisions look only at the bindings of the user and its groups, however many others there are.
 */
export class ClusterAccess {
  readonly #roles: RoleBook;
  readonly #grants: GrantIndex;
  /** The catch-all groups that a binding of the tenant's own names. */
  readonly #opened: ReadonlySet<string>;

  constructor(objects: RbacObjects) {
    this.#roles = new RoleBook(objects);
    this.#grants = indexGrants(objects, this.#roles);
    this.#opened = openedGroups(objects);
  }

  authorize(user: UserInfo, attributes: RequestAttributes): Decision {
    if (isMaster(user)) return allowedToMasters;
    const namespace = isPathRequest(attributes) ? '' : (attributes.namespace ?? '');
    const byName = decide(this.#grants.users.get(user.username), namespace, attributes);
    if (byName !== undefined) return { allowed: true, reason: explain(byName, 'User', user.username) };
    for (const group of user.groups) {
      const byGroup = decide(this.#grants.groups.get(group), namespace, attributes);
      if (byGroup !== undefined) return { allowed: true, reason: explain(byGroup, 'Group', group) };
    }
    return denied;
  }

  /** The rules that hold for a user in a namespace; with the empty namespace, those that hold everywhere. */
  heldRules(user: UserInfo, namespace: string): readonly PolicyRule[] {
    const rules = new Set<PolicyRule>(isMaster(user) ? allRights : []);
    for (const grants of this.#grantsOf(user)) {
      for (const grant of grants.everywhere()) for (const rule of grant.rules) rules.add(rule);
      for (const grant of grants.within(namespace)) for (const rule of grant.rules) rules.add(rule);
    }
    return [...rules];
  }

  /** What a SelfSubjectRulesReview answers. Path rules hold only when granted everywhere. */
  rulesFor(user: UserInfo, namespace: string): EffectiveRules {
    return {
      resourceRules: this.heldRules(user, namespace).filter(rule => (rule.resources ?? []).length > 0),
      nonResourceRules: this.heldRules(user, '').filter(rule => (rule.nonResourceURLs ?? []).length > 0),
      incomplete: false,
    };
  }

  /** The rules that binding `roleRef` in a namespace (empty: everywhere) would grant; undefined when the role is missing. */
  rulesOfRole(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#roles.rules(roleRef, namespace);
  }

  /**
   * Whether the user is a member: others must not even learn that the logical cluster exists.
   *
   * Members are users and groups that a binding names. Groups that include all users count only when the
   * tenant itself has bound them, since the bootstrap bindings do so in every cluster. Whether a service account belongs to
   * this cluster is known to the caller alone, who passes it in `isOwnServiceAccount`.
   */
  isMember(user: UserInfo, { isOwnServiceAccount = false }: { readonly isOwnServiceAccount?: boolean } = {}): boolean {
    if (isOwnServiceAccount || isMaster(user) || this.#grants.users.has(user.username)) return true;
    return user.groups.some(group => (isCatchAll(group) ? this.#opened.has(group) : this.#grants.groups.has(group)));
  }

  /** The namespaces in which a binding of their own gives the user anything, besides what holds everywhere. */
  namespacesOf(user: UserInfo): readonly string[] {
    return [...new Set([...this.#grantsOf(user)].flatMap(grants => grants.namespaces()))];
  }

  /** Where the user may use a verb on a resource. Looks at the user's own bindings only, like a decision. */
  reach(user: UserInfo, attributes: ReachAttributes): Reach {
    const reach = reachOf(this.#grantsOf(user), attributes);
    return isMaster(user) ? { ...reach, isEverywhere: true } : reach;
  }

  /** The names of the roles that bindings give the user, wherever. */
  roleNamesOf(user: UserInfo): ReadonlySet<string> {
    const names = new Set<string>();
    for (const grants of this.#grantsOf(user)) {
      for (const { roleRef } of grants.everywhere()) names.add(roleRef.name);
      for (const namespace of grants.namespaces())
        for (const { roleRef } of grants.within(namespace)) names.add(roleRef.name);
    }
    return names;
  }

  *#grantsOf(user: UserInfo): Iterable<SubjectGrants> {
    const own = this.#grants.users.get(user.username);
    if (own !== undefined) yield own;
    for (const group of user.groups) {
      const grants = this.#grants.groups.get(group);
      if (grants !== undefined) yield grants;
    }
  }
}

const denied: Decision = Object.freeze({ allowed: false, reason: '' });
const allowedToMasters: Decision = Object.freeze({ allowed: true, reason: `allowed to group "${wellKnown.masters}"` });

function decide(
  grants: SubjectGrants | undefined,
  namespace: string,
  attributes: RequestAttributes,
): Grant | undefined {
  if (grants === undefined) return undefined;
  return firstAllowing(grants.everywhere(), attributes) ?? firstAllowing(grants.within(namespace), attributes);
}

function firstAllowing(grants: Iterable<Grant>, attributes: RequestAttributes): Grant | undefined {
  for (const grant of grants) if (rulesAllow(grant.rules, attributes)) return grant;
  return undefined;
}

const explain = ({ bindingKind, bindingName, roleRef }: Grant, kind: string, subject: string): string =>
  `RBAC: allowed by ${bindingKind} "${bindingName}" of ${roleRef.kind} "${roleRef.name}" to ${kind} "${subject}"`;

const isCatchAll = (group: string): boolean => group === wellKnown.authenticated || group === wellKnown.unauthenticated;

const noGroups: ReadonlySet<string> = new Set();

function openedGroups({ roleBindings, clusterRoleBindings }: RbacObjects): ReadonlySet<string> {
  let opened: Set<string> | undefined;
  for (const bindings of [clusterRoleBindings, roleBindings]) {
    for (const binding of bindings) {
      if (binding.metadata.labels?.[bootstrapLabel.key] === bootstrapLabel.value) continue;
      for (const { kind, name } of subjectsOf(binding)) {
        if (kind === 'Group' && isCatchAll(name)) opened = (opened ?? new Set()).add(name);
      }
    }
  }
  return opened ?? noGroups;
}
