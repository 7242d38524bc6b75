import type { KubeObject } from '@chandlery/api';
import { isConditionTrue, setCondition } from '../helpers/conditions.ts';

/** `"true"` on an object makes controllers leave it and its world alone, and say so in the condition `Paused`. */
export const pausedAnnotation = 'chandlery.io/paused';

/** A new value asks for a pass now; the one handled last is in `status.lastHandledReconcileAt`. */
export const reconcileAnnotation = 'chandlery.io/reconcile-requested-at';

interface HandledStatus {
  lastHandledReconcileAt?: string;
}

/** The default of a controller's `isPaused`. */
export const hasPausedAnnotation = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[pausedAnnotation] === 'true';

/** Keeps the condition `Paused`; one that was never paused does not get it. */
export function reportPaused(object: KubeObject, isPaused: boolean, now: Date): void {
  if (isPaused) {
    const message = 'The object is paused; nothing is changed until the pause is taken back.';
    setCondition(object, { type: 'Paused', status: 'True', reason: 'PausedByUser', message }, now);
  } else if (isConditionTrue(object, 'Paused')) {
    setCondition(object, { type: 'Paused', status: 'False', reason: 'Resumed' }, now);
  }
}

/** True when somebody asked for a pass that has not happened yet. */
export function isPassRequested(object: KubeObject): boolean {
  const token = object.metadata.annotations?.[reconcileAnnotation];
  return token !== undefined && token !== (object['status'] as HandledStatus | undefined)?.lastHandledReconcileAt;
}

/** Notes that the request was heard. */
export function markPassHandled(object: KubeObject): void {
  const token = object.metadata.annotations?.[reconcileAnnotation];
  if (token === undefined || !isPassRequested(object)) return;
  object['status'] = { ...(object['status'] as HandledStatus | undefined), lastHandledReconcileAt: token };
}
