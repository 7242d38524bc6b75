import type { KubeObject } from '@chandlery/api';
import { isConditionTrue, setCondition } from '../helpers/conditions.ts';
import { isDeleting } from '../helpers/finalizers.ts';

/** `"true"` on an object makes controllers leave it and its world alone, and say so in the condition `Paused`. */
export const pausedAnnotation = 'chandlery.io/paused';

/** `ignore` on an object pauses it for controllers whose `isPaused` honours it. */
const operationAnnotation = 'openmcp.cloud/operation';

/** A new value asks for a reconcile now; the one handled last is in `status.lastHandledReconcileAt`. */
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
    setCondition(object, { type: 'Paused', status: 'True', ...pauseOf(object) }, now);
  } else if (isConditionTrue(object, 'Paused')) {
    setCondition(object, { type: 'Paused', status: 'False', reason: 'Resumed' }, now);
  }
}

const pauseOf = (object: KubeObject): { readonly reason: string; readonly message: string } =>
  isDeleting(object)
    ? {
        reason: 'DeletionPaused',
        message: `The deletion waits because the object is paused; to continue, remove the annotation ${pauseAnnotationOf(object)}.`,
      }
    : {
        reason: 'PausedByUser',
        message: 'The object is paused; nothing is changed until the pause is taken back.',
      };

/** The landscape's own annotation, or the one that it shares with others. */
const pauseAnnotationOf = (object: KubeObject): string =>
  hasPausedAnnotation(object) ? pausedAnnotation : operationAnnotation;

/** True when a reconcile was requested that has not happened yet. */
export function isReconcileRequested(object: KubeObject): boolean {
  const token = object.metadata.annotations?.[reconcileAnnotation];
  return token !== undefined && token !== (object['status'] as HandledStatus | undefined)?.lastHandledReconcileAt;
}

/** Records that the request was handled. */
export function markRequestHandled(object: KubeObject): void {
  const token = object.metadata.annotations?.[reconcileAnnotation];
  if (token === undefined || !isReconcileRequested(object)) return;
  object['status'] = { ...(object['status'] as HandledStatus | undefined), lastHandledReconcileAt: token };
}
