import { type PolicyRule, pathMatches } from './rbac.ts';

/**
 * More single permissions than an honest role holds. A rule beyond it counts as not held as a whole rather than being
 * taken apart, so that one small request cannot keep the process busy.
 */
const maxPermissionsPerRule = 100_000;

/** How many missing permissions a message lists. */
const maxMissing = 100;

/**
 * The part of `wanted` that `held` does not give, empty when all of it is held.
 *
 * Each wanted rule is taken apart into single permissions (one verb on one resource of one group and at most one name,
 * or one verb on one path), and each must be given by one held rule. So several held rules may together cover one
 * wanted rule. Returns at most the first hundred.
 */
export function missingPermissions(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const missing: PolicyRule[] = [];
  for (const rule of wanted) {
    if (held.some(holder => ruleCovers(holder, rule))) continue;
    const permissions = countPermissions(rule) > maxPermissionsPerRule ? [rule] : singlePermissions(rule);
    for (const permission of permissions) {
      if (held.some(holder => ruleCovers(holder, permission))) continue;
      missing.push(permission);
      if (missing.length === maxMissing) return missing;
    }
  }
  return missing;
}

/** Whether someone who holds `held` may hand out `wanted`. */
export const coversRules = (held: readonly PolicyRule[], wanted: readonly PolicyRule[]): boolean =>
  missingPermissions(held, wanted).length === 0;

const none: readonly string[] = [];

function countPermissions(rule: PolicyRule): number {
  const { verbs, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  return (
    verbs.length * (apiGroups.length * resources.length * Math.max(resourceNames.length, 1) + nonResourceURLs.length)
  );
}

function* singlePermissions(rule: PolicyRule): Iterable<PolicyRule> {
  for (const verb of rule.verbs) {
    for (const path of rule.nonResourceURLs ?? none) yield { verbs: [verb], nonResourceURLs: [path] };
    for (const group of rule.apiGroups ?? none) {
      for (const resource of rule.resources ?? none) {
        const permission = { verbs: [verb], apiGroups: [group], resources: [resource] };
        const names = rule.resourceNames ?? none;
        if (names.length === 0) yield permission;
        for (const name of names) yield { ...permission, resourceNames: [name] };
      }
    }
  }
}

function ruleCovers(held: PolicyRule, wanted: PolicyRule): boolean {
  return (
    includesAll(held.verbs, wanted.verbs) &&
    includesAll(held.apiGroups ?? none, wanted.apiGroups ?? none) &&
    (wanted.resources ?? none).every(resource => coversResource(held.resources ?? none, resource)) &&
    coversNames(held.resourceNames ?? none, wanted) &&
    (wanted.nonResourceURLs ?? none).every(path => (held.nonResourceURLs ?? none).some(url => pathMatches(url, path)))
  );
}

const includesAll = (held: readonly string[], wanted: readonly string[]): boolean =>
  held.includes('*') || wanted.every(value => held.includes(value));

function coversResource(held: readonly string[], wanted: string): boolean {
  if (held.includes('*') || held.includes(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && held.includes(`*${wanted.slice(slash)}`);
}

/** Rights on some names never cover the right on all names. */
function coversNames(held: readonly string[], wanted: PolicyRule): boolean {
  if (held.length === 0 || wanted.resources === undefined || wanted.resources.length === 0) return true;
  const names = wanted.resourceNames ?? none;
  return names.length > 0 && names.every(name => held.includes(name));
}
