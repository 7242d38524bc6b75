import { type Condition, formatTime } from '@chandlery/api';
import { limitsCondition } from '../../kinds/private-paths.ts';
import { describeContainer, isContainerReady } from './describe-container.ts';
import { isDone, isInitFailed, isInitialized, observe, podStop, type Situation, wasStarted } from './life.ts';
import { allContainers, type Container, isSidecar } from './pod.ts';
import type { PodPhase, PodStatus } from './pod-status.ts';

/** Pods are processes of this machine and listen on this address. */
const hostAddress = '127.0.0.1';

/** The status to report. */
export function describePod(situation: Situation): PodStatus {
  const { pod, observed } = situation;
  const inits = pod.spec.initContainers ?? [];
  const phase = describePhase(situation);
  return {
    phase,
    ...describeReason(situation, phase),
    startTime: formatTime(new Date(observed.startedAtMs)),
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    podIP: hostAddress,
    podIPs: [{ ip: hostAddress }],
    conditions: describeConditions(situation, phase),
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits.map(init => describeContainer(situation, init)) }),
    containerStatuses: pod.spec.containers.map(container => describeContainer(situation, container)),
  };
}

/** The phase only moves from Pending to Running to one of the two final ones. */
export function describePhase(situation: Situation): PodPhase {
  const { pod } = situation;
  const isAnyRunning = allContainers(pod.spec).some(container => observe(situation, container).running !== undefined);
  if (!isAnyRunning && podStop(situation) !== undefined) return describeEnd(situation);
  if (!isAnyRunning && isInitFailed(situation)) return 'Failed';
  const isWaiting = pod.spec.containers.some(container => !wasStarted(observe(situation, container)));
  if (isWaiting) return 'Pending';
  const isDoneAll = pod.spec.containers.every(container => isDone(situation, container));
  return isDoneAll && !isAnyRunning ? describeEnd(situation) : 'Running';
}

const describeEnd = (situation: Situation): PodPhase => {
  if (podStop(situation)?.isDeadline === true) return 'Failed';
  const succeeded = ({ name }: Container): boolean => situation.observed.containers[name]?.finished?.exitCode === 0;
  return situation.pod.spec.containers.every(succeeded) ? 'Succeeded' : 'Failed';
};

const describeReason = (situation: Situation, phase: PodPhase): Pick<PodStatus, 'reason' | 'message'> =>
  podStop(situation)?.isDeadline === true && phase === 'Failed'
    ? { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' }
    : {};

function describeConditions(situation: Situation, phase: PodPhase): readonly Condition[] {
  const { pod } = situation;
  const isHappyEnd = phase === 'Succeeded';
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar);
  const unready = [...sidecars, ...pod.spec.containers].filter(container => !isContainerReady(situation, container));
  const initialized = isInitialized(situation) || isHappyEnd;
  return [
    condition(situation, 'PodScheduled', undefined),
    condition(situation, 'Initialized', initialized ? undefined : incompleteInit(situation), isHappyEnd),
    condition(situation, 'ContainersReady', unreadyReason(unready, phase), isHappyEnd),
    condition(situation, 'Ready', unreadyReason(unready, phase), isHappyEnd),
    ...limitConditions(situation),
  ];
}

function limitConditions(situation: Situation): readonly Condition[] {
  const { unenforced = [] } = situation.observed;
  if (unenforced.length === 0) return [];
  const message = `The local node does not enforce the limits of ${unenforced.join(', ')}.`;
  return [condition(situation, limitsCondition, { reason: 'NotEnforced', message })];
}

interface Why {
  readonly reason: string;
  readonly message?: string;
}

function incompleteInit(situation: Situation): Why {
  const incomplete = (situation.pod.spec.initContainers ?? []).filter(
    container => !isSidecar(container) && observe(situation, container).finished?.exitCode !== 0,
  );
  const names = incomplete.map(({ name }) => name).join(' ');
  return { reason: 'ContainersNotInitialized', message: `containers with incomplete status: [${names}]` };
}

function unreadyReason(unready: readonly Container[], phase: PodPhase): Why | undefined {
  if (phase === 'Succeeded') return { reason: 'PodCompleted' };
  if (phase === 'Failed') return { reason: 'PodFailed' };
  if (unready.length === 0) return undefined;
  const names = unready.map(({ name }) => name).join(' ');
  return { reason: 'ContainersNotReady', message: `containers with unready status: [${names}]` };
}

/** False with a reason, or True; the transition time changes only with the status. */
function condition(situation: Situation, type: string, why: Why | undefined, isHappyEnd = false): Condition {
  const status = why === undefined ? 'True' : 'False';
  const before = situation.observed.conditions.find(known => known.type === type);
  const now = formatTime(new Date(situation.nowMs));
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
  const reason = why === undefined && isHappyEnd ? { reason: 'PodCompleted' } : {};
  return { type, status, lastTransitionTime, ...(why ?? reason) };
}
