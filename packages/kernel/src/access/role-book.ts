import { isDeepStrictEqual } from 'node:util';
import {
  fromLabelSelectorObject,
  type KubeObject,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
} from '@chandlery/api';
import { bootstrapRules } from './bootstrap-policy.ts';
import type { PolicyRule } from './rbac.ts';
import { aggregationOf, type RbacObjects, type RoleRef, rulesOf } from './rbac-objects.ts';

/** The rules of every role of one logical cluster, with aggregation resolved. Immutable. */
export class RoleBook {
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #clusterRoles: ReadonlyMap<string, KubeObject>;
  readonly #aggregation: Aggregation;
  /** Resolved when a binding asks for them. */
  readonly #effective = new Map<string, readonly PolicyRule[]>();

  constructor({ roles, clusterRoles }: Pick<RbacObjects, 'roles' | 'clusterRoles'>) {
    for (const role of roles) this.#roles.set(roleKey(role.metadata.namespace, role.metadata.name), rulesOf(role));
    this.#clusterRoles = new Map(clusterRoles.map(role => [role.metadata.name ?? '', role]));
    this.#aggregation = new Aggregation(clusterRoles);
  }

  /** The rules behind a binding's roleRef; undefined when there is no such role. */
  rules(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (roleRef.kind === 'ClusterRole') return this.#rulesOfClusterRole(roleRef.name);
    return roleRef.kind === 'Role' ? this.#roles.get(roleKey(namespace, roleRef.name)) : undefined;
  }

  #rulesOfClusterRole(name: string): readonly PolicyRule[] | undefined {
    const known = this.#effective.get(name);
    const role = this.#clusterRoles.get(name);
    if (known !== undefined || role === undefined) return known;
    const rules = effectiveRules(role, this.#aggregation);
    this.#effective.set(name, rules);
    return rules;
  }
}

const roleKey = (namespace = '', name = ''): string => `${namespace}/${name}`;

/** The bootstrap roles are the same in thousands of logical clusters: keep their rules once. */
function sharedRules(role: KubeObject): readonly PolicyRule[] {
  const rules = rulesOf(role);
  const bootstrap = bootstrapRules.get(role.metadata.name ?? '');
  return bootstrap !== undefined && isDeepStrictEqual(rules, bootstrap) ? bootstrap : rules;
}

/**
 * A role's own rules and, when it aggregates, those of the roles it selects, which may aggregate themselves. Kubernetes fills `rules`
 * by a controller; resolving here has the same outcome at once and needs no writes.
 */
function effectiveRules(role: KubeObject, aggregation: Aggregation): readonly PolicyRule[] {
  const own = sharedRules(role);
  const members = aggregation.membersOf(role);
  if (members.size === 1) return own;
  const rules = [...new Set([...members].flatMap(sharedRules))];
  return rules.length === own.length ? own : rules;
}

/** Which ClusterRoles an aggregating one takes in. Tenants write selectors: each is matched once, however many roles have it. */
class Aggregation {
  readonly #all: readonly KubeObject[];
  readonly #selected = new Map<string, readonly KubeObject[]>();
  /** Equal selections are one list, so that roles that all select each other are walked once. */
  readonly #lists = new Map<string, readonly KubeObject[]>();

  constructor(all: readonly KubeObject[]) {
    this.#all = all;
  }

  /** The role, those it selects, and those that they select. */
  membersOf(role: KubeObject): ReadonlySet<KubeObject> {
    const members = new Set([role]);
    const walked = new Set<readonly KubeObject[]>();
    // A Set hands out what is added during the walk, so this reaches members of members and ends on cycles.
    for (const member of members) {
      for (const selected of this.#selectedBy(member)) {
        if (walked.has(selected)) continue;
        walked.add(selected);
        for (const one of selected) members.add(one);
      }
    }
    return members;
  }

  #selectedBy(role: KubeObject): readonly (readonly KubeObject[])[] {
    return (aggregationOf(role) ?? []).map(selector => this.#select(selector));
  }

  #select(object: LabelSelectorObject): readonly KubeObject[] {
    const text = JSON.stringify(object);
    const known = this.#selected.get(text);
    if (known !== undefined) return known;
    const selectors = parseSelector(object);
    const found = this.#all.filter(({ metadata }) =>
      selectors.some(selector => matchesLabels(selector, metadata.labels)),
    );
    const names = found.map(({ metadata }) => metadata.name).join();
    const list = this.#lists.get(names) ?? found;
    this.#lists.set(names, list);
    this.#selected.set(text, list);
    return list;
  }
}

/** An invalid selector selects nothing; one bad role must not lock all users out. */
function parseSelector(selector: LabelSelectorObject): readonly LabelSelector[] {
  try {
    return [fromLabelSelectorObject(selector)];
  } catch {
    return [];
  }
}
