import { formatTime } from '@chandlery/api';
import { imageErrorUntilMs, preparationDelayMs, restartDelayMs } from './back-off.ts';
import { isDone, isInitialized, isWorkOver, observe, podStop, type Situation } from './life.ts';
import type { ContainerObservation, FinishedProcess, PreparationFailure } from './observation.ts';
import { type Container, isSidecar } from './pod.ts';
import type { ContainerState, ContainerStatus, TerminatedState, WaitingState } from './pod-status.ts';
import { isReady, isStarted } from './probe-record.ts';

const time = (atMs: number): string => formatTime(new Date(atMs));

const containerId = (podUid: string, container: Container, attempt: number): string =>
  `process://${podUid}/${container.name}/${attempt}`;

/** The reported state of one container. */
export function describeContainer(situation: Situation, container: Container): ContainerStatus {
  const observed = observe(situation, container);
  const { running, finished } = observed;
  const state = describeState(situation, container, observed);
  const last = state.terminated === undefined ? finished : observed.earlier;
  const shownAttempt = running === undefined ? finished?.attempt : observed.attempt;
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: '',
    ...(shownAttempt === undefined ? {} : { containerID: containerId(situation.pod.uid, container, shownAttempt) }),
    state,
    lastState: last === undefined ? {} : { terminated: describeEnd(situation, container, last) },
    ready: isContainerReady(situation, container),
    started: isStarted(container, running),
    restartCount: shownAttempt ?? observed.attempt,
  };
}

/** As for the pod's conditions: an init container is ready once it has succeeded. */
export function isContainerReady(situation: Situation, container: Container): boolean {
  const { running, finished } = observe(situation, container);
  const isInit = situation.pod.spec.initContainers?.includes(container) ?? false;
  if (isInit && !isSidecar(container)) return running === undefined && finished?.exitCode === 0;
  return podStop(situation) === undefined && isReady(container, running);
}

function describeState(situation: Situation, container: Container, observed: ContainerObservation): ContainerState {
  const { running, finished } = observed;
  if (running !== undefined) return { running: { startedAt: time(running.startedAtMs) } };
  const staysEnded =
    finished !== undefined &&
    (isDone(situation, container) || podStop(situation) !== undefined || isWorkOver(situation));
  if (staysEnded) return { terminated: describeEnd(situation, container, finished) };
  return { waiting: describeWaiting(situation, container, observed) };
}

const describeEnd = (situation: Situation, container: Container, end: FinishedProcess): TerminatedState => ({
  exitCode: end.exitCode,
  ...(end.signal === undefined ? {} : { signal: end.signal }),
  reason: end.reason,
  ...(end.message === undefined ? {} : { message: end.message }),
  startedAt: time(end.startedAtMs),
  finishedAt: time(end.finishedAtMs),
  containerID: containerId(situation.pod.uid, container, end.attempt),
});

function describeWaiting(situation: Situation, container: Container, observed: ContainerObservation): WaitingState {
  const { preparation, finished } = observed;
  if (typeof preparation !== 'string') return describeFailure(situation, preparation);
  if (finished !== undefined) return describeBackOff(situation, container, observed);
  const isInit = situation.pod.spec.initContainers?.includes(container) ?? false;
  const waitsForInit = !isInit && !isInitialized(situation);
  return { reason: waitsForInit || isInit ? 'PodInitializing' : 'ContainerCreating' };
}

function describeFailure({ backOff, nowMs }: Situation, failure: PreparationFailure): WaitingState {
  const { reason, message, atMs } = failure;
  const retryAtMs = atMs + preparationDelayMs(backOff, failure);
  const isBackingOff = reason === 'ErrImagePull' && nowMs >= imageErrorUntilMs(atMs, retryAtMs);
  return { reason: isBackingOff ? 'ImagePullBackOff' : reason, message };
}

function describeBackOff(
  { pod, backOff }: Situation,
  container: Container,
  { crashes }: ContainerObservation,
): WaitingState {
  const seconds = restartDelayMs(backOff, crashes) / 1000;
  const message = `back-off ${seconds}s restarting failed container=${container.name} pod=${pod.name}_${pod.namespace}(${pod.uid})`;
  return { reason: 'CrashLoopBackOff', message };
}
