import { type BackOff, defaultBackOff, imageErrorUntilMs, preparationDelayMs } from './back-off.ts';
import { describePod } from './describe-pod.ts';
import { deadlineMs, isWanted, mayStartAtMs, mustEnd, observe, podStop, type Situation } from './life.ts';
import type { PodObservation, Running } from './observation.ts';
import { allContainers, type Container, graceMsOf, type Pod, type ProbeKind, probeOf } from './pod.ts';
import type { PodStatus } from './pod-status.ts';
import { activeProbes, condemningProbe, nextProbeAtMs, recordOf } from './probe-record.ts';

/** An action for the adapter. Apply `begin` to the observation first, so that nothing is done twice. */
export type Action =
  | { readonly do: 'prepare'; readonly container: string }
  | { readonly do: 'start'; readonly container: string }
  | { readonly do: 'probe'; readonly container: string; readonly probe: ProbeKind }
  | { readonly do: 'stop'; readonly container: string; readonly killAtMs: number }
  | { readonly do: 'preStop'; readonly container: string }
  | { readonly do: 'terminate'; readonly container: string }
  | { readonly do: 'kill'; readonly container: string };

/** The actions, the status to report, and when to decide again without a change. */
export interface Decision {
  readonly actions: readonly Action[];
  readonly status: PodStatus;
  readonly requeueAtMs?: number;
}

interface Step {
  readonly actions: readonly Action[];
  /** Later times at which this container needs a decision. */
  readonly requeueTimesMs: readonly number[];
}

const rest: Step = { actions: [], requeueTimesMs: [] };
const act = (...actions: readonly Action[]): Step => ({ actions, requeueTimesMs: [] });
const enqueue = (...requeueTimesMs: readonly number[]): Step => ({ actions: [], requeueTimesMs });

/** Decides about one pod. Pure. */
export function decide(pod: Pod, observed: PodObservation, now: Date, backOff: BackOff = defaultBackOff): Decision {
  const situation = { pod, observed, nowMs: now.getTime(), backOff };
  const steps = allContainers(pod.spec).map(container => decideContainer(situation, container));
  const isDeadlineAhead = podStop(situation) === undefined && deadlineMs(situation) > situation.nowMs;
  const deadline = isDeadlineAhead ? deadlineMs(situation) : Number.POSITIVE_INFINITY;
  const requeueAtMs = Math.min(deadline, ...steps.flatMap(step => step.requeueTimesMs));
  return {
    actions: steps.flatMap(step => step.actions),
    status: describePod(situation),
    ...(Number.isFinite(requeueAtMs) ? { requeueAtMs } : {}),
  };
}

function decideContainer(situation: Situation, container: Container): Step {
  const { running } = observe(situation, container);
  if (running === undefined) return isWanted(situation, container) ? decideStart(situation, container) : rest;
  if (running.stopping !== undefined) return decideEnd(situation, container, running);
  return decideStop(situation, container, running) ?? decideProbes(situation, container, running);
}

function decideStart(situation: Situation, container: Container): Step {
  const { preparation, finished } = observe(situation, container);
  const name = container.name;
  if (finished !== undefined && situation.nowMs < mayStartAtMs(situation, container)) {
    return enqueue(mayStartAtMs(situation, container));
  }
  if (preparation === 'busy') return rest;
  if (preparation === 'due') return act({ do: 'prepare', container: name });
  if (preparation === 'ready') return act({ do: 'start', container: name });
  if (preparation.retry === 'busy') return rest;
  const retryAtMs = preparation.atMs + preparationDelayMs(situation.backOff, preparation);
  if (preparation.retry === 'due' || situation.nowMs >= retryAtMs) return act({ do: 'prepare', container: name });
  return enqueue(...[retryAtMs, imageErrorUntilMs(preparation.atMs, retryAtMs)].filter(at => at > situation.nowMs));
}

/** Starts to stop a running container when the pod ends or a probe fails. */
function decideStop(situation: Situation, container: Container, running: Running): Step | undefined {
  const stop = podStop(situation);
  if (mustEnd(situation, container)) {
    const sinceMs = stop?.sinceMs ?? situation.nowMs;
    const graceMs = stop?.graceMs ?? graceMsOf(situation.pod.spec);
    return act({ do: 'stop', container: container.name, killAtMs: sinceMs + graceMs });
  }
  const condemning = condemningProbe(container, running);
  if (condemning === undefined) return undefined;
  const grace = probeOf(container, condemning)?.terminationGracePeriodSeconds;
  const graceMs = grace === undefined ? graceMsOf(situation.pod.spec) : Number(grace) * 1000;
  return act({ do: 'stop', container: container.name, killAtMs: situation.nowMs + graceMs });
}

/** preStop, then SIGTERM, then, after the grace period, SIGKILL. */
function decideEnd(situation: Situation, container: Container, running: Running): Step {
  const { stopping } = running;
  if (stopping === undefined || stopping.isKilled) return rest;
  const name = container.name;
  // A later stop with a shorter grace period shortens one in progress.
  const stop = podStop(situation);
  const killAtMs = Math.min(
    stopping.killAtMs,
    stop === undefined ? Number.POSITIVE_INFINITY : stop.sinceMs + stop.graceMs,
  );
  if (situation.nowMs >= killAtMs) return act({ do: 'kill', container: name });
  if (stopping.preStop === 'due') return act({ do: 'preStop', container: name });
  if (stopping.preStop === 'done' && !stopping.isTermSent) return act({ do: 'terminate', container: name });
  return enqueue(killAtMs);
}

function decideProbes(situation: Situation, container: Container, running: Running): Step {
  const steps = activeProbes(container, running).map(kind => decideProbe(situation, container, running, kind));
  return { actions: steps.flatMap(step => step.actions), requeueTimesMs: steps.flatMap(step => step.requeueTimesMs) };
}

function decideProbe(situation: Situation, container: Container, running: Running, kind: ProbeKind): Step {
  const probe = probeOf(container, kind);
  const record = recordOf(running, kind);
  if (probe === undefined || record.isBusy) return rest;
  const atMs = nextProbeAtMs(probe, running, record);
  return situation.nowMs >= atMs ? act({ do: 'probe', container: container.name, probe: kind }) : enqueue(atMs);
}
