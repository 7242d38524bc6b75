import { type BackOff, restartAtMs } from './back-off.ts';
import { type ContainerObservation, observedContainer, type PodObservation } from './observation.ts';
import { type Container, graceMsOf, isSidecar, type Pod } from './pod.ts';
import { isStarted } from './probe-record.ts';

/** The input of a decision about one pod. */
export interface Situation {
  readonly pod: Pod;
  readonly observed: PodObservation;
  readonly nowMs: number;
  readonly backOff: BackOff;
}

/** The stop of the pod, by a request or by its own deadline. */
export interface PodStop {
  readonly sinceMs: number;
  readonly graceMs: number;
  readonly isDeadline: boolean;
}

/** The pod's own deadline. */
export const deadlineMs = ({ pod, observed }: Situation): number =>
  observed.startedAtMs + Number(pod.spec.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;

/** Whether and since when the pod has to stop. */
export function podStop(situation: Situation): PodStop | undefined {
  const { pod, observed, nowMs } = situation;
  const deadline = deadlineMs(situation);
  const isDeadline = deadline <= Math.min(nowMs, observed.stop?.sinceMs ?? nowMs) && !wasOverBy(situation, deadline);
  if (observed.stop !== undefined) return { ...observed.stop, isDeadline };
  return isDeadline ? { sinceMs: deadline, graceMs: graceMsOf(pod.spec), isDeadline } : undefined;
}

/** Whether the work had ended before: a deadline does not affect completed work. */
const wasOverBy = (situation: Situation, atMs: number): boolean =>
  isWorkOver(situation) &&
  Object.values(situation.observed.containers).every(({ finished }) => (finished?.finishedAtMs ?? 0) < atMs);

export const observe = ({ observed }: Situation, container: Container): ContainerObservation =>
  observedContainer(observed, container.name);

/** Whether a container ended and its restart policy leaves it so. */
export function isDone({ pod, observed }: Situation, container: Container): boolean {
  const { running, finished } = observedContainer(observed, container.name);
  if (running !== undefined || finished === undefined || isSidecar(container)) return false;
  const policy = pod.spec.restartPolicy ?? 'Always';
  if (policy === 'Never') return true;
  const isInit = pod.spec.initContainers?.some(({ name }) => name === container.name) ?? false;
  return finished.exitCode === 0 && (policy === 'OnFailure' || isInit);
}

const hasFailed = (situation: Situation, container: Container): boolean =>
  isDone(situation, container) && observe(situation, container).finished?.exitCode !== 0;

/** Whether an init container failed finally: nothing after it will run. */
export const isInitFailed = (situation: Situation): boolean =>
  (situation.pod.spec.initContainers ?? []).some(container => hasFailed(situation, container));

/** Whether the next container in order may start: an init container succeeded, a sidecar has started. */
function letsPass(situation: Situation, container: Container): boolean {
  const { running, finished } = observe(situation, container);
  // A sidecar that crashed later does not restart the initialisation.
  if (isSidecar(container)) return isStarted(container, running) || finished !== undefined;
  return running === undefined && finished?.exitCode === 0;
}

/** The number of completed init containers, in order. */
export function initProgress(situation: Situation): number {
  const inits = situation.pod.spec.initContainers ?? [];
  // Once an ordinary container was started, initialisation is complete.
  if (situation.pod.spec.containers.some(container => wasStarted(observe(situation, container)))) return inits.length;
  const blocking = inits.findIndex(container => !letsPass(situation, container));
  return blocking < 0 ? inits.length : blocking;
}

export const isInitialized = (situation: Situation): boolean =>
  initProgress(situation) === (situation.pod.spec.initContainers ?? []).length;

export const wasStarted = ({ running, finished }: ContainerObservation): boolean =>
  running !== undefined || finished !== undefined;

/** Whether every ordinary container has ended finally, or none of them will ever start. */
export const isWorkOver = (situation: Situation): boolean =>
  isInitFailed(situation) || situation.pod.spec.containers.every(container => isDone(situation, container));

/** Ordinary containers, and init containers that are not sidecars: those whose end sidecars wait for. */
const workers = ({ pod }: Situation): readonly Container[] => [
  ...(pod.spec.initContainers ?? []).filter(container => !isSidecar(container)),
  ...pod.spec.containers,
];

/** Whether a container has to stop now: the pod stops, and sidecars outlive the work. */
export function mustEnd(situation: Situation, container: Container): boolean {
  if (podStop(situation) === undefined && !isWorkOver(situation)) return false;
  if (!isSidecar(container)) return podStop(situation) !== undefined;
  return workers(situation).every(worker => observe(situation, worker).running === undefined);
}

/** Whether a container should run now. */
export function isWanted(situation: Situation, container: Container): boolean {
  if (podStop(situation) !== undefined || isWorkOver(situation) || isDone(situation, container)) return false;
  const inits = situation.pod.spec.initContainers ?? [];
  const index = inits.findIndex(({ name }) => name === container.name);
  return index < 0
    ? isInitialized(situation)
    : isSidecar(container)
      ? index <= initProgress(situation)
      : index === initProgress(situation);
}

/** When an ended container may start again. */
export const mayStartAtMs = (situation: Situation, container: Container): number =>
  restartAtMs(situation.backOff, observe(situation, container));
