import type { StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { allowsOf, contextOf, ownerOf, type ReconcileScope } from '../reconcile-scope.ts';

/** Starts syncing objects of the service, or updates its connections. */
export function engageSyncer(_object: ServiceObject, scope: ReconcileScope): StepResult {
  const allows = allowsOf(scope);
  if (allows.has('Create') && allows.has('Update'))
    scope.deps.syncer?.engage(ownerOf(scope), scope.connections, contextOf(scope));
  return 'continue';
}
