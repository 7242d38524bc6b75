import type { DeletionPolicy } from '../definition/service-kind.ts';
import type { Pass } from './pass.ts';

/**
 * What happens to the service when its object goes. Objects that go because their provider does are let go if the
 * provider says so; those that their tenants had deleted before are not.
 */
export function policyOf({ object, needs }: Pass): DeletionPolicy {
  const leavingMs = Date.parse(needs.leaving.since() ?? '');
  const deletedMs = Date.parse(object.metadata.deletionTimestamp ?? '');
  return deletedMs >= leavingMs ? 'Orphan' : (object.spec.deletionPolicy ?? 'Delete');
}
