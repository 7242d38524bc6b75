import type { DeletionPolicy } from '../definition/service-kind.ts';
import type { ReconcileScope } from './reconcile-scope.ts';

/**
 * What happens to the service when its object goes. Objects that go because their provider does are let go if the
 * provider says so (those that their tenants had deleted before are not), and so are those that must not be deleted.
 */
export function policyOf({ object, deps }: ReconcileScope): DeletionPolicy {
  const leavingMs = Date.parse(deps.leaving.since() ?? '');
  const deletedMs = Date.parse(object.metadata.deletionTimestamp ?? '');
  if (deletedMs >= leavingMs || !mayDelete(object)) return 'Orphan';
  return object.spec.deletionPolicy ?? 'Delete';
}

/** A combination that means nothing must not keep an object from going; the safe end is to let go. */
function mayDelete({ spec: { managementPolicies: policies } }: ReconcileScope['object']): boolean {
  return policies === undefined || policies.includes('*') || policies.includes('Delete');
}
