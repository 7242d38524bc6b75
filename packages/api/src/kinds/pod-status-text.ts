import { conditionOf, hasCondition, listAt, numberAt, textAt, valueAt } from './columns/read.ts';

/** What kubectl shows of a pod's containers. */
export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  /** When a container was last restarted; empty if never. */
  readonly lastRestart: string;
}

interface Restarts {
  readonly count: number;
  readonly last: string;
}

/** The outcome of the init containers: how far they are and, while they hold the pod up, why. */
interface InitSummary {
  readonly waitingFor: string | undefined;
  readonly readySidecars: number;
  readonly all: Restarts;
  readonly sidecars: Restarts;
}

const noRestarts: Restarts = { count: 0, last: '' };

// Timestamps are RFC 3339 in UTC, so the later one is also the greater string.
const plus = (restarts: Restarts, status: unknown): Restarts => {
  const finished = textAt(status, 'lastState', 'terminated', 'finishedAt');
  return {
    count: restarts.count + numberAt(status, 'restartCount'),
    last: finished > restarts.last ? finished : restarts.last,
  };
};

const isSidecar = (container: unknown): boolean => textAt(container, 'restartPolicy') === 'Always';

function endText(terminated: unknown): string {
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

/** Why an init container holds the pod up. */
function initReason(status: unknown, progress: string): string {
  const terminated = valueAt(status, 'state', 'terminated');
  if (terminated !== undefined) return `Init:${endText(terminated)}`;
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  return waiting === '' || waiting === 'PodInitializing' ? progress : `Init:${waiting}`;
}

const hasSucceeded = (status: unknown): boolean =>
  valueAt(status, 'state', 'terminated') !== undefined && numberAt(status, 'state', 'terminated', 'exitCode') === 0;

function summarizeInit(pod: unknown): InitSummary {
  const declared = listAt(pod, 'spec', 'initContainers');
  const sidecarNames = new Set(declared.filter(isSidecar).map(container => textAt(container, 'name')));
  let all = noRestarts;
  let sidecars = noRestarts;
  let readySidecars = 0;
  for (const [index, status] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    const sidecar = sidecarNames.has(textAt(status, 'name'));
    all = plus(all, status);
    if (sidecar) sidecars = plus(sidecars, status);
    if (hasSucceeded(status)) continue;
    if (sidecar && valueAt(status, 'started') === true) {
      if (valueAt(status, 'ready') === true) readySidecars += 1;
      continue;
    }
    return { waitingFor: initReason(status, `Init:${index}/${declared.length}`), readySidecars, all, sidecars };
  }
  return { waitingFor: undefined, readySidecars, all, sidecars };
}

/** What a container has to say about the pod's state, if anything. */
function containerReason(status: unknown): string | undefined {
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  if (waiting !== '') return waiting;
  const terminated = valueAt(status, 'state', 'terminated');
  return terminated === undefined ? undefined : endText(terminated);
}

const isRunning = (status: unknown): boolean =>
  containerReason(status) === undefined &&
  valueAt(status, 'ready') === true &&
  valueAt(status, 'state', 'running') !== undefined;

function phaseText(pod: unknown): string {
  const isGated = textAt(conditionOf(pod, 'PodScheduled'), 'reason') === 'SchedulingGated';
  if (isGated) return 'SchedulingGated';
  return textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
}

/** The first container with something to say speaks for the pod, unless another one still runs. */
function runningText(pod: unknown, statuses: readonly unknown[], otherwise: string): string {
  const reason = statuses.map(containerReason).find(found => found !== undefined) ?? otherwise;
  if (reason !== 'Completed' || !statuses.some(isRunning)) return reason;
  return hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
}

/** A pod that was asked to go says so, whatever its containers do. */
function withDeletion(pod: unknown, status: string): string {
  if (valueAt(pod, 'metadata', 'deletionTimestamp') === undefined) return status;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const hasEnded = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
  return hasEnded ? status : 'Terminating';
}

/** Sums a pod up as `kubectl get pods` shows it. */
export function summarizePod(pod: unknown): PodSummary {
  const sidecarCount = listAt(pod, 'spec', 'initContainers').filter(isSidecar).length;
  const total = listAt(pod, 'spec', 'containers').length + sidecarCount;
  const init = summarizeInit(pod);
  if (init.waitingFor !== undefined && !hasCondition(pod, 'Initialized')) {
    const status = withDeletion(pod, init.waitingFor);
    return { ready: init.readySidecars, total, status, restarts: init.all.count, lastRestart: init.all.last };
  }
  const statuses = listAt(pod, 'status', 'containerStatuses');
  const restarts = statuses.reduce<Restarts>(plus, init.sidecars);
  return {
    ready: init.readySidecars + statuses.filter(isRunning).length,
    total,
    status: withDeletion(pod, runningText(pod, statuses, init.waitingFor ?? phaseText(pod))),
    restarts: restarts.count,
    lastRestart: restarts.last,
  };
}
