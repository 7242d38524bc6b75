import { type BackOff, restartAtMs } from './back-off.ts';
import { type ContainerObservation, observedContainer, type PodObservation } from './observation.ts';
import { type Container, graceMsOf, isSidecar, type Pod } from './pod.ts';
import { isStarted } from './probe-record.ts';

/** Everything a decision about one pod rests on. */
export interface Situation {
  readonly pod: Pod;
  readonly observed: PodObservation;
  readonly nowMs: number;
  readonly backOff: BackOff;
}

/** The order to end the pod, given by somebody or by its own deadline. */
export interface PodStop {
  readonly sinceMs: number;
  readonly graceMs: number;
  readonly isDeadline: boolean;
}

/** When the pod's own deadline comes. */
export const deadlineMs = ({ pod, observed }: Situation): number =>
  observed.startedAtMs + Number(pod.spec.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;

/** Whether and since when the pod has to end. */
export function podStop(situation: Situation): PodStop | undefined {
  const { pod, observed, nowMs } = situation;
  const deadline = deadlineMs(situation);
  const isDeadline = deadline <= Math.min(nowMs, observed.stop?.sinceMs ?? nowMs) && !wasOverBy(situation, deadline);
  if (observed.stop !== undefined) return { ...observed.stop, isDeadline };
  return isDeadline ? { sinceMs: deadline, graceMs: graceMsOf(pod.spec), isDeadline } : undefined;
}

/** True when the work had ended before: a deadline cannot spoil what is complete. */
const wasOverBy = (situation: Situation, atMs: number): boolean =>
  isWorkOver(situation) &&
  Object.values(situation.observed.containers).every(({ finished }) => (finished?.finishedAtMs ?? 0) < atMs);

export const observe = ({ observed }: Situation, container: Container): ContainerObservation =>
  observedContainer(observed, container.name);

/** True when it ended and its restart policy leaves it so. */
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

/** True when an init container failed for good: nothing after it will run. */
export const isInitFailed = (situation: Situation): boolean =>
  (situation.pod.spec.initContainers ?? []).some(container => hasFailed(situation, container));

/** True when the next container in order may start: an init container succeeded, a sidecar is up. */
function letsPass(situation: Situation, container: Container): boolean {
  const { running, finished } = observe(situation, container);
  // A sidecar that crashed later does not take the pod back to its beginning.
  if (isSidecar(container)) return isStarted(container, running) || finished !== undefined;
  return running === undefined && finished?.exitCode === 0;
}

/** How many init containers have been passed, in order. */
export function initProgress(situation: Situation): number {
  const inits = situation.pod.spec.initContainers ?? [];
  // Once an ordinary container was started, initialisation is history.
  if (situation.pod.spec.containers.some(container => wasStarted(observe(situation, container)))) return inits.length;
  const blocking = inits.findIndex(container => !letsPass(situation, container));
  return blocking < 0 ? inits.length : blocking;
}

export const isInitialized = (situation: Situation): boolean =>
  initProgress(situation) === (situation.pod.spec.initContainers ?? []).length;

export const wasStarted = ({ running, finished }: ContainerObservation): boolean =>
  running !== undefined || finished !== undefined;

/** True when every ordinary container has ended for good, or none of them will ever start. */
export const isWorkOver = (situation: Situation): boolean =>
  isInitFailed(situation) || situation.pod.spec.containers.every(container => isDone(situation, container));

/** Ordinary containers, and init containers that are not sidecars: those whose end sidecars wait for. */
const workers = ({ pod }: Situation): readonly Container[] => [
  ...(pod.spec.initContainers ?? []).filter(container => !isSidecar(container)),
  ...pod.spec.containers,
];

/** True when a container has to end now: the pod ends, and sidecars outlive the work. */
export function mustEnd(situation: Situation, container: Container): boolean {
  if (podStop(situation) === undefined && !isWorkOver(situation)) return false;
  if (!isSidecar(container)) return podStop(situation) !== undefined;
  return workers(situation).every(worker => observe(situation, worker).running === undefined);
}

/** True when a container's turn has come to run. */
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
