import { userError } from '../definition/user-error.ts';

/** The actions that a provider may take on a service; `*` is all of them. */
export const managementActions = ['Observe', 'Create', 'Update', 'Delete', 'LateInitialize'] as const;
export type ManagementAction = (typeof managementActions)[number];
export type ManagementPolicy = ManagementAction | '*';

/** Validation rules of the kind, so that the API rejects a wrong combination. */
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

/** The actions that the policies of an object allow. Throws a user error for an invalid combination. */
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
