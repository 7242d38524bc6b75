import type { DeletionPolicy } from '../definition/service-kind.ts';
import type { ReconcileScope } from './reconcile-scope.ts';

/**
 * The deletion policy of an object. When the provider is deleted with the policy Orphan, its objects are released
 * (unless their tenants deleted them before); objects whose policies exclude Delete are released as well.
 */
export function policyOf({ object, deps }: ReconcileScope): DeletionPolicy {
  const leavingMs = Date.parse(deps.leaving.since() ?? '');
  const deletedMs = Date.parse(object.metadata.deletionTimestamp ?? '');
  if (deletedMs >= leavingMs || !mayDelete(object)) return 'Orphan';
  return object.spec.deletionPolicy ?? 'Delete';
}

/** An invalid combination must not block a deletion; releasing the service is the safe outcome. */
function mayDelete({ spec: { managementPolicies: policies } }: ReconcileScope['object']): boolean {
  return policies === undefined || policies.includes('*') || policies.includes('Delete');
}
