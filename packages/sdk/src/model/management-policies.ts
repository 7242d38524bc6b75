import { userError } from '../definition/user-error.ts';

/** What a provider may do with a service; `*` is all of it. */
export const managementActions = ['Observe', 'Create', 'Update', 'Delete', 'LateInitialize'] as const;
export type ManagementAction = (typeof managementActions)[number];
export type ManagementPolicy = ManagementAction | '*';

/** The rules of the API, so that a wrong combination is refused where it is written. */
export const managementRules = [
  {
    rule: "!('*' in self) || self.size() == 1",
    message: 'managementPolicies: "*" means everything and must stand alone',
  },
  {
    rule: "self.size() == 0 || '*' in self || 'Observe' in self",
    message: 'managementPolicies: Observe is part of every combination but "*" and the empty one, which pauses',
  },
];

/** What the policies of an object allow. Throws a user error for a combination that means nothing. */
export function allowedActions(policies: readonly ManagementPolicy[] = ['*']): ReadonlySet<ManagementAction> {
  if (policies.includes('*')) {
    if (policies.length > 1) throw invalid(policies, '"*" means everything and must stand alone');
    return new Set(managementActions);
  }
  const actions = policies.filter(policy => policy !== '*');
  if (actions.length > 0 && !actions.includes('Observe')) throw invalid(policies, 'Observe is missing');
  return new Set(actions);
}

const invalid = (policies: readonly string[], why: string) =>
  userError(
    `managementPolicies [${policies.join(', ')}] cannot be used: ${why}`,
    'Use ["*"], or Observe with any of Create, Update, Delete, LateInitialize.',
  );
