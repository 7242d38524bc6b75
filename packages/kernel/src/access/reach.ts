import { type PolicyRule, type ResourceAttributes, ruleAllows } from './rbac.ts';
import type { SubjectGrants } from './subject-grants.ts';

/** A verb on a resource, wherever. */
export type ReachAttributes = Pick<ResourceAttributes, 'verb' | 'group' | 'resource'>;

/** Where a user may use a verb on a resource: everywhere, in whole namespaces, on single objects. */
export interface Reach {
  readonly isEverywhere: boolean;
  /** Those in which everything is within reach. */
  readonly namespaces: ReadonlySet<string>;
  /** Single objects by namespace; the empty one is that of cluster-scoped objects. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Gathers where grants allow something. What is granted by name alone in all namespaces at once is not counted. */
export function reachOf(grantsOfSubjects: Iterable<SubjectGrants>, attributes: ReachAttributes): Reach {
  const reach = { isEverywhere: false, namespaces: new Set<string>(), names: new Map<string, Set<string>>() };
  for (const grants of grantsOfSubjects) {
    for (const { rules } of grants.everywhere()) {
      const { isWhole, names } = reachOfRules(rules, attributes);
      reach.isEverywhere ||= isWhole;
      addNames(reach.names, '', names);
    }
    for (const namespace of grants.namespaces()) {
      for (const { rules } of grants.within(namespace)) {
        const { isWhole, names } = reachOfRules(rules, attributes);
        if (isWhole) reach.namespaces.add(namespace);
        addNames(reach.names, namespace, names);
      }
    }
  }
  return reach;
}

function reachOfRules(
  rules: readonly PolicyRule[],
  attributes: ReachAttributes,
): { isWhole: boolean; names: readonly string[] } {
  const named = rules.filter(({ resourceNames = [] }) => resourceNames.length > 0);
  return {
    isWhole: rules.some(rule => ruleAllows(rule, attributes)),
    names: named.flatMap(rule => (rule.resourceNames ?? []).filter(name => ruleAllows(rule, { ...attributes, name }))),
  };
}

function addNames(all: Map<string, Set<string>>, namespace: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const known = all.get(namespace) ?? new Set<string>();
  for (const name of names) known.add(name);
  all.set(namespace, known);
}
