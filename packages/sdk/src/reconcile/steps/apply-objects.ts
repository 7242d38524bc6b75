import type { StepContext, StepResult } from '@chandlery/runtime';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { desiredOf } from '../../model/desired-objects.ts';
import { allowsOf, contextOf, ownerOf, type ReconcileScope, statusOf } from '../reconcile-scope.ts';
import { recordObjects } from '../record-changes.ts';

/** Applies the desired objects on the clusters. */
export async function applyObjects(
  object: ServiceObject,
  scope: ReconcileScope,
  step: StepContext,
): Promise<StepResult> {
  const { deps, connections } = scope;
  const desired = desiredOf(deps.definition, object, contextOf(scope));
  const report = await deps.managed.apply(
    { ...ownerOf(scope), allows: allowsOf(scope) },
    connections,
    desired,
    step.signal,
  );
  scope.report = report;
  statusOf(scope).resources = report.resources.map(entry => ({ ...entry }));
  recordObjects(scope, report.changes);
  return 'continue';
}
