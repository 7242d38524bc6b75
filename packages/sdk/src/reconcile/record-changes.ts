import type { Change, ChangeAction } from '../objects/managed-objects.ts';
import type { Pass } from './pass.ts';

/** Tells that something others had changed was put right. */
export function recordDrift({ object, needs }: Pass, kind: string, name: string): void {
  needs.metrics.drift.with({ kind }).inc();
  needs.recorder.record(object, {
    type: 'Normal',
    reason: 'DriftRepaired',
    message: `${kind} "${name}" had been changed by somebody else and was put right.`,
  });
}

/** Tells, in the log and as an event, that something was changed beyond the clusters. */
export function recordChange({ object, needs, step }: Pass, action: ChangeAction, what: string): void {
  const reason = reasons[action];
  step.logger.info(`${reason.toLowerCase()} ${what}`, { change: { action, what } });
  needs.recorder.record(object, { type: 'Normal', reason, message: what });
}

const reasons = { create: 'Created', update: 'Updated', delete: 'Deleted' } as const;

/**
 * Tells of what was changed on clusters: one event for each action. Their keeper logs each change, and records those of
 * others that it put right.
 */
export function recordObjects({ object, needs }: Pass, changes: readonly Change[]): void {
  for (const { kind, isDrift } of changes) if (isDrift) needs.metrics.drift.with({ kind }).inc();
  for (const action of ['create', 'update', 'delete'] as const) {
    const names = changes.filter(change => change.action === action && !change.isDrift).map(describe);
    if (names.length === 0) continue;
    needs.recorder.record(object, { type: 'Normal', reason: reasons[action], message: names.sort().join(', ') });
  }
}

const describe = ({ kind, namespace, name }: Change): string => `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
