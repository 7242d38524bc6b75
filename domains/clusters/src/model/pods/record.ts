import { type BackOff, countCrashes, defaultBackOff } from './back-off.ts';
import type { Action } from './decide.ts';
import {
  type ContainerObservation,
  type FinishedProcess,
  observedContainer,
  type PodObservation,
  type PreparationFailure,
  type Running,
  type Stopping,
} from './observation.ts';
import { type Container, type ProbeKind, probeOf } from './pod.ts';
import { addResult, recordOf } from './probe-record.ts';

type Change = (container: ContainerObservation) => ContainerObservation;

function changeContainer(observed: PodObservation, name: string, change: Change): PodObservation {
  const changed = change(observedContainer(observed, name));
  return { ...observed, containers: { ...observed.containers, [name]: changed } };
}

const changeRunning = (observed: PodObservation, name: string, change: (running: Running) => Running): PodObservation =>
  changeContainer(observed, name, container =>
    container.running === undefined ? container : { ...container, running: change(container.running) },
  );

const changeStopping = (observed: PodObservation, name: string, change: Partial<Stopping>): PodObservation =>
  changeRunning(observed, name, running =>
    running.stopping === undefined ? running : { ...running, stopping: { ...running.stopping, ...change } },
  );

const setProbe = (running: Running, kind: ProbeKind, record: ReturnType<typeof recordOf>): Running => ({
  ...running,
  probes: { ...running.probes, [kind]: record },
});

/** The observation once an action has begun. */
export function begin(observed: PodObservation, action: Action, now: Date, container: Container): PodObservation {
  const nowMs = now.getTime();
  switch (action.do) {
    case 'prepare':
      return changeContainer(observed, action.container, known => ({ ...known, preparation: beginPreparation(known) }));
    case 'start':
      return changeContainer(observed, action.container, known => ({
        ...known,
        running: { startedAtMs: nowMs, probes: {} },
      }));
    case 'probe':
      return changeRunning(observed, action.container, running =>
        setProbe(running, action.probe, { ...recordOf(running, action.probe), isBusy: true, lastAtMs: nowMs }),
      );
    case 'stop': {
      const preStop = container.lifecycle?.preStop === undefined ? 'done' : 'due';
      const stopping = { killAtMs: action.killAtMs, preStop, isTermSent: false, isKilled: false } as const;
      return changeRunning(observed, action.container, running => ({ ...running, stopping }));
    }
    case 'preStop':
      return changeStopping(observed, action.container, { preStop: 'running' });
    case 'terminate':
      return changeStopping(observed, action.container, { isTermSent: true });
    case 'kill':
      return changeStopping(observed, action.container, { isKilled: true });
  }
}

/** A failure is reported until its retry has ended, so that the status does not flicker. */
const beginPreparation = ({ preparation }: ContainerObservation): ContainerObservation['preparation'] =>
  typeof preparation === 'string' ? 'busy' : { ...preparation, retry: 'busy' };

/** The container's folder, image and environment are prepared. */
export const recordPrepared = (observed: PodObservation, name: string): PodObservation =>
  changeContainer(observed, name, known => ({ ...known, preparation: 'ready' }));

/** The preparation of the container failed. */
export const recordPreparationFailure = (
  observed: PodObservation,
  name: string,
  failure: Pick<PreparationFailure, 'reason' | 'message'>,
  now: Date,
): PodObservation =>
  changeContainer(observed, name, known => ({
    ...known,
    preparation: { ...failure, atMs: now.getTime(), attempts: attemptsOf(known) + 1 },
  }));

/**
 * The preparation of the container failed finally: it ends as if its process had, so that the restart policy decides.
 */
export const recordFailedStart = (
  observed: PodObservation,
  name: string,
  failure: { readonly reason: string; readonly message: string },
  now: Date,
): PodObservation =>
  changeContainer(observed, name, known => {
    const atMs = now.getTime();
    const times = { startedAtMs: atMs, finishedAtMs: atMs };
    const finished: FinishedProcess = { attempt: known.attempt, exitCode: neverStartedCode, ...failure, ...times };
    return { ...known, finished, preparation: 'due', attempt: known.attempt + 1 };
  });

/** The exit code of a process that could not be started. */
const neverStartedCode = 128;

const attemptsOf = ({ preparation }: ContainerObservation): number =>
  typeof preparation === 'string' ? 0 : preparation.attempts;

/** The values that the pod refers to have changed: failed preparations are retried at once. */
export const recordNewSources = (observed: PodObservation): PodObservation =>
  retryFailed(observed, 'CreateContainerConfigError');

/** The mapping of images has changed: containers without an image are retried at once. */
export const recordNewImages = (observed: PodObservation): PodObservation => retryFailed(observed, 'ErrImagePull');

function retryFailed(observed: PodObservation, reason: PreparationFailure['reason']): PodObservation {
  const retried = Object.entries(observed.containers).map(([name, known]) => [name, retryNow(known, reason)] as const);
  return { ...observed, containers: Object.fromEntries(retried) };
}

function retryNow(known: ContainerObservation, reason: PreparationFailure['reason']): ContainerObservation {
  const { preparation } = known;
  const isMeant = typeof preparation !== 'string' && preparation.reason === reason;
  return isMeant ? { ...known, preparation: { ...preparation, retry: 'due' } } : known;
}

/** The preStop hook has ended, successfully or not. */
export const recordPreStopDone = (observed: PodObservation, name: string): PodObservation =>
  changeStopping(observed, name, { preStop: 'done' });

/** A probe has completed. */
export function recordProbe(
  observed: PodObservation,
  container: Container,
  kind: ProbeKind,
  answer: { readonly ok: boolean; readonly message?: string },
): PodObservation {
  const probe = probeOf(container, kind);
  if (probe === undefined) return observed;
  return changeRunning(observed, container.name, running =>
    setProbe(running, kind, addResult(recordOf(running, kind), probe, answer)),
  );
}

/** The exit of a process, as the operating system reports it. */
export interface Exit {
  readonly exitCode: number;
  readonly signal?: number;
  readonly isOutOfMemory?: boolean;
  readonly message?: string;
}

const reasonOf = (exit: Exit): string => {
  if (exit.isOutOfMemory === true) return 'OOMKilled';
  return exit.exitCode === 0 ? 'Completed' : 'Error';
};

/** The container's process has ended. Its next start is a new attempt, with a new preparation. */
export const recordExit = (
  observed: PodObservation,
  name: string,
  exit: Exit,
  now: Date,
  backOff: BackOff = defaultBackOff,
): PodObservation =>
  changeContainer(observed, name, known => {
    const { running, finished: earlier, ...others } = known;
    if (running === undefined) return known;
    const { isOutOfMemory: _, ...told } = exit;
    const times = { startedAtMs: running.startedAtMs, finishedAtMs: now.getTime() };
    const finished: FinishedProcess = { ...told, ...times, attempt: known.attempt, reason: reasonOf(exit) };
    return {
      ...others,
      ...(earlier === undefined ? {} : { earlier }),
      finished,
      preparation: 'due',
      attempt: known.attempt + 1,
      crashes: countCrashes(backOff, known.crashes, times.finishedAtMs - times.startedAtMs),
    };
  });

/** The stop of the pod was requested. A second request can only shorten the grace period. */
export function recordStop(observed: PodObservation, graceMs: number, now: Date): PodObservation {
  const sinceMs = observed.stop?.sinceMs ?? now.getTime();
  const endMs = Math.min(
    observed.stop === undefined ? Number.POSITIVE_INFINITY : sinceMs + observed.stop.graceMs,
    now.getTime() + graceMs,
  );
  return { ...observed, stop: { sinceMs, graceMs: endMs - sinceMs } };
}
