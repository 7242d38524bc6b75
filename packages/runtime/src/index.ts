/**
 * The controller runtime.
 *
 * - `queue`: keys that wait for a worker, each once, with fairness per tenant.
 * - `informer`: a copy of a collection that a watch keeps up to date.
 * - `controller`: steps run over objects, one write per reconcile.
 * - `lease`: the election of one leader, with a fencing token.
 * - `helpers`: conditions, finalizers, owners, events, errors, server-side apply.
 */

export { isSameJson, mergeDiff } from '@chandlery/api';
export type { RateLimit } from '@chandlery/platform';
export {
  hasPausedAnnotation,
  isReconcileRequested,
  pausedAnnotation,
  reconcileAnnotation,
} from './controller/annotations.ts';
export { type ControllerMetrics, createControllerMetrics } from './controller/controller-metrics.ts';
export type { Controller, ControllerOptions, WatchSource } from './controller/controller-options.ts';
export { createController } from './controller/create-controller.ts';
export { keyOf, parseKey } from './controller/object-key.ts';
export { addPhaseGauges, type PhaseGauges } from './controller/phase-gauges.ts';
export { runSteps } from './controller/run-steps.ts';
export {
  type Step,
  type StepContext,
  type StepResult,
} from './controller/step.ts';
export { type ApplyOptions, apply, type DesiredObject, refOf } from './helpers/apply-objects.ts';
export {
  conditionsOf,
  findCondition,
  isConditionTrue,
  removeCondition,
  type StatedCondition,
  setCondition,
  setReadySummary,
} from './helpers/conditions.ts';
export {
  classifyError,
  type ErrorClass,
  type RuntimeErrorCode,
  runtimeErrorCodes,
  terminalError,
} from './helpers/errors.ts';
export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
  type ObjectEvent,
} from './helpers/event-recorder.ts';
export { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from './helpers/finalizers.ts';
export { ignoreNotFound } from './helpers/ignore-not-found.ts';
export { type InstallOptions, installKinds } from './helpers/install-kinds.ts';
export { isTerminating } from './helpers/is-terminating.ts';
export { controllerKeys, controllerOf, ownerReference, setController } from './helpers/owner-references.ts';
export { retryOnConflict } from './helpers/retry-on-conflict.ts';
export { StateReport } from './helpers/state-report.ts';
export { createInformer } from './informer/create-informer.ts';
export type {
  ChangeInfo,
  DeleteInfo,
  IndexFunction,
  Informer,
  InformerListener,
  InformerOptions,
} from './informer/informer.ts';
export { SharedInformers, type SharedInformersOptions } from './informer/shared-informers.ts';
export { withoutManagedFields } from './informer/without-managed-fields.ts';
export type { FencingToken } from './lease/fencing-token.ts';
export {
  createLeaseElector,
  type Leadership,
  type LeaseElector,
  type LeaseElectorOptions,
} from './lease/lease-elector.ts';
export type { LeaseTimingOptions } from './lease/lease-timing.ts';
export { type BackOffOptions, backOffMs } from './queue/back-off.ts';
export { createWorkQueue } from './queue/create-work-queue.ts';
export {
  type RunWorkersOptions,
  runWorkers,
  type WorkContext,
  type WorkFailure,
  type WorkResult,
} from './queue/run-workers.ts';
export { pause, systemTimers, type Timers } from './queue/timers.ts';
export {
  type AddOptions,
  relistPriority,
  type StopMode,
  type Work,
  type WorkQueue,
  type WorkQueueObserver,
  type WorkQueueOptions,
} from './queue/work-queue.ts';
export { createWorkQueueMetrics } from './queue/work-queue-metrics.ts';
