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
  readonly #clusterRoles = new Map<string, readonly PolicyRule[]>();

  constructor({ roles, clusterRoles }: Pick<RbacObjects, 'roles' | 'clusterRoles'>) {
    for (const role of roles) this.#roles.set(roleKey(role.metadata.namespace, role.metadata.name), rulesOf(role));
    for (const role of clusterRoles)
      this.#clusterRoles.set(role.metadata.name ?? '', effectiveRules(role, clusterRoles));
  }

  /** The rules behind a binding's roleRef; undefined when there is no such role. */
  rules(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (roleRef.kind === 'ClusterRole') return this.#clusterRoles.get(roleRef.name);
    return roleRef.kind === 'Role' ? this.#roles.get(roleKey(namespace, roleRef.name)) : undefined;
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
function effectiveRules(role: KubeObject, all: readonly KubeObject[]): readonly PolicyRule[] {
  const members = new Set([role]);
  // A Set hands out what is added during the walk, so this reaches members of members and ends on cycles.
  for (const member of members) for (const selected of selectedBy(member, all)) members.add(selected);
  const own = sharedRules(role);
  const rules = [...new Set([...members].flatMap(sharedRules))];
  return rules.length === own.length ? own : rules;
}

function selectedBy(role: KubeObject, all: readonly KubeObject[]): readonly KubeObject[] {
  const selectors = (aggregationOf(role) ?? []).flatMap(parseSelector);
  if (selectors.length === 0) return [];
  return all.filter(({ metadata }) => selectors.some(selector => matchesLabels(selector, metadata.labels)));
}

/** A selector that makes no sense selects nothing; one bad role must not lock everybody out. */
function parseSelector(selector: LabelSelectorObject): readonly LabelSelector[] {
  try {
    return [fromLabelSelectorObject(selector)];
  } catch {
    return [];
  }
}
