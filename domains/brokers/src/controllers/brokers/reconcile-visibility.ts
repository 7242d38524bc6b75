import { isSameJson, type WorkResult } from '@chandlery/runtime';
import type { VisibilityActions } from '../../actions/visibility-actions.ts';
import { statedConditions } from '../../model/operations/row-conditions.ts';
import { type Registry, updateRow, type VisibilityRow } from '../../model/rows.ts';
import { isSettled } from './broker-work.ts';
import { failureConditions } from './failure-condition.ts';

/** What the reconcile of a visibility depends on. */
export interface ReconcileVisibilityDeps {
  readonly registry: Registry;
  readonly actions: VisibilityActions;
  /** The state that platforms know of a visibility that was changed by hand, as far as it was seen. */
  readonly lastSettledState: (id: string) => VisibilityRow | undefined;
}

/** Reconciles a visibility that was created, changed or deleted through the Kubernetes API, and notifies platforms. */
export async function reconcileVisibility(deps: ReconcileVisibilityDeps, id: string): Promise<WorkResult> {
  const { registry, actions } = deps;
  const visibility = registry.visibilities.get(id);
  if (visibility === undefined || isSettled(visibility)) return 'done';
  const before = deps.lastSettledState(id);
  try {
    if (visibility.isDeleting) await actions.remove(visibility);
    else await actions.update(visibility, before === undefined ? {} : { before });
    return 'done';
  } catch (error) {
    await report(registry, id, error);
    throw error;
  }
}

async function report(registry: Registry, id: string, error: unknown): Promise<void> {
  const row = registry.visibilities.get(id);
  if (row === undefined) return;
  const { status, generation } = row;
  const stated = failureConditions(error, status.ready === true);
  const conditions = statedConditions({ status, generation }, stated, new Date(registry.now()));
  if (isSameJson(conditions, status.conditions)) return;
  await registry.commit([updateRow({ table: 'visibilities', row, status: { ...status, conditions } })]);
}
