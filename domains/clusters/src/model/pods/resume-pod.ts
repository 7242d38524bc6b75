import { parseTime } from '@chandlery/api';
import type { ContainerObservation, FinishedProcess, PodObservation } from './observation.ts';
import type { Pod } from './pod.ts';
import type { ContainerStatus, PodStatus, TerminatedState } from './pod-status.ts';

const lostWithNode = 'The node was restarted and its processes were killed.';

/**
 * The initial observation of a pod: empty, or from the status that an earlier node process reported. `launched` are
 * containers that an earlier node process has started, reported or not: a pod that is never restarted must not run them
 * again.
 */
export function resumePod(pod: Pod, now: Date, launched: ReadonlySet<string> = new Set()): PodObservation {
  const status = pod.status as Partial<PodStatus> | undefined;
  const known = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const reported = known.map(container => [container.name, resumeContainer(container, now)] as const);
  const unreported = pod.spec.restartPolicy === 'Never' ? [...launched].filter(name => !hasBegun(known, name)) : [];
  const containers = [...reported, ...unreported.map(name => [name, lostContainer(now)] as const)];
  return {
    startedAtMs: toMs(status?.startTime, now),
    containers: Object.fromEntries(containers),
    conditions: status?.conditions ?? [],
  };
}

const hasBegun = (known: readonly ContainerStatus[], name: string): boolean =>
  known.some(
    container => container.name === name && (container.state.waiting === undefined || container.restartCount > 0),
  );

/** A container that ran when the node stopped, of which nothing was reported. */
const lostContainer = (now: Date): ContainerObservation =>
  resumeContainer({ state: { running: { startedAt: now.toISOString() } }, lastState: {}, restartCount: 0 }, now);

const toMs = (text: string | undefined, now: Date): number =>
  (text === undefined ? undefined : parseTime(text))?.getTime() ?? now.getTime();

function resumeContainer({ state, lastState, restartCount }: Known, now: Date): ContainerObservation {
  const finished = lastEnd({ state, lastState, restartCount }, now);
  if (finished === undefined) return { preparation: 'due', attempt: restartCount, crashes: 0 };
  return { preparation: 'due', attempt: restartCount + 1, crashes: 1, finished };
}

type Known = Pick<ContainerStatus, 'state' | 'lastState' | 'restartCount'>;

function lastEnd({ state, lastState, restartCount: attempt }: Known, now: Date): FinishedProcess | undefined {
  if (state.running === undefined) {
    const ended = state.terminated ?? lastState.terminated;
    return ended === undefined ? undefined : readEnd(ended, attempt, now);
  }
  const startedAtMs = toMs(state.running.startedAt, now);
  return { attempt, startedAtMs, finishedAtMs: now.getTime(), exitCode: 137, reason: 'Error', message: lostWithNode };
}

function readEnd(ended: TerminatedState, attempt: number, now: Date): FinishedProcess {
  const { exitCode, signal, reason, message } = ended;
  const times = { startedAtMs: toMs(ended.startedAt, now), finishedAtMs: toMs(ended.finishedAt, now) };
  const told = { ...(signal === undefined ? {} : { signal }), ...(message === undefined ? {} : { message }) };
  return { attempt, exitCode, reason, ...times, ...told };
}
