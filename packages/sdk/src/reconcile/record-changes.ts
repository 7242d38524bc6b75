import type { Change, ChangeAction } from '../objects/managed-objects.ts';
import type { ReconcileScope } from './reconcile-scope.ts';

/** Records the repair of a deviation. */
export function recordDrift({ object, deps }: ReconcileScope, kind: string, name: string): void {
  deps.metrics.drift.with({ kind }).inc();
  deps.recorder.record(object, {
    type: 'Normal',
    reason: 'DriftRepaired',
    message: `${kind} "${name}" had been changed by another client and was repaired.`,
  });
}

/** Records a change of the external resource, in the log and as an event. */
export function recordChange({ object, deps, step }: ReconcileScope, action: ChangeAction, what: string): void {
  const reason = reasons[action];
  step.logger.info(`${reason.toLowerCase()} ${what}`, { change: { action, what } });
  deps.recorder.record(object, { type: 'Normal', reason, message: what });
}

const reasons = { create: 'Created', update: 'Updated', delete: 'Deleted' } as const;

/**
 * Records changes on clusters, one event for each action. Managed objects log each change and record repairs
 * themselves.
 */
export function recordObjects({ object, deps }: ReconcileScope, changes: readonly Change[]): void {
  for (const { kind, isDrift } of changes) if (isDrift) deps.metrics.drift.with({ kind }).inc();
  for (const action of ['create', 'update', 'delete'] as const) {
    const names = changes.filter(change => change.action === action && !change.isDrift).map(describe);
    if (names.length === 0) continue;
    deps.recorder.record(object, { type: 'Normal', reason: reasons[action], message: names.sort().join(', ') });
  }
}

const describe = ({ kind, namespace, name }: Change): string => `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
