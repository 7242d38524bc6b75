import type { KubeObject } from '@chandlery/api';
import { podFinalizer } from './build-pod.ts';
import { mainContainer } from './declared-paths.ts';

interface Terminated {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly state?: {
    readonly running?: object;
    readonly terminated?: Terminated;
    readonly waiting?: { readonly reason?: string; readonly message?: string };
  };
}

export interface PodObject extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly name: string }[];
    readonly initContainers?: readonly { readonly name: string; readonly restartPolicy?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** How far a pod is. */
export type PodState =
  | { readonly type: 'waiting' }
  | { readonly type: 'running'; readonly isReady: boolean }
  /** It cannot run, or was lost: the platform's fault. */
  | { readonly type: 'lost'; readonly message: string }
  | {
      readonly type: 'ended';
      readonly exitCode: number;
      readonly message?: string;
      readonly isOutOfMemory: boolean;
      /** Exit codes by container. */
      readonly containers: Readonly<Record<string, number>>;
    };

/** Said by the local node of containers that ended with it. */
const lostWithNode = 'The node was restarted';

/** The exit code of a container that could not be started. */
const notStarted = 128;

/** Interprets a pod. A pod that another client deleted is lost, however it ended. */
export function interpretPod(pod: PodObject, isKilled: boolean): PodState {
  const { phase = 'Pending', containerStatuses = [], message } = pod.status ?? {};
  const ends = endsOf(containerStatuses);
  const isOver = isPodOver(pod);
  const isDeleted = pod.metadata.deletionTimestamp !== undefined;
  if (isDeleted && !isKilled && !(isOver && !wasInterrupted(ends)))
    return isReleasable(pod, isOver) ? { type: 'lost', message: 'pod deleted' } : { type: 'waiting' };
  if (!isOver) return isDeleted ? { type: 'waiting' } : runningState(phase, containerStatuses);
  const all = [...endsOf(pod.status?.initContainerStatuses ?? []).values(), ...ends.values()];
  const lost = all.find(end => end.message?.startsWith(lostWithNode) === true);
  if (lost !== undefined) return { type: 'lost', message: lost.message ?? '' };
  const unstarted = [...ends.values()].find(end => end.exitCode === notStarted && (end.message ?? '') !== '');
  if (unstarted !== undefined) return { type: 'lost', message: unstarted.message ?? '' };
  return endOf(pod, ends) ?? { type: 'lost', message: message ?? 'the pod ended without running its containers' };
}

/** Whether the pod's work has ended; sidecars may still be stopping. */
function isPodOver({ spec, status }: PodObject): boolean {
  const { phase, containerStatuses = [] } = status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  const count = spec?.containers?.length ?? 0;
  return count > 0 && endsOf(containerStatuses).size === count;
}

/** Whether all processes of a deleted pod have ended, so that only our finalizer is left. */
const isReleasable = ({ metadata, spec }: PodObject, isOver: boolean): boolean =>
  isOver || (spec?.nodeName ?? '') === '' || (metadata.deletionGracePeriodSeconds ?? 0) === 0;

const wasInterrupted = (ends: ReadonlyMap<string, Terminated>): boolean =>
  [...ends.values()].some(({ exitCode }) => exitCode === 143 || exitCode === 137);

function runningState(phase: string, statuses: readonly ContainerStatus[]): PodState {
  if (phase !== 'Running') return { type: 'waiting' };
  return { type: 'running', isReady: statuses.every(({ ready }) => ready === true) };
}

const endsOf = (statuses: readonly ContainerStatus[]): ReadonlyMap<string, Terminated> =>
  new Map(
    statuses.flatMap(({ name, state }) => (state?.terminated === undefined ? [] : [[name, state.terminated] as const])),
  );

function endOf(pod: PodObject, ends: ReadonlyMap<string, Terminated>): PodState | undefined {
  const init = failedInit(pod);
  if (init !== undefined) return init;
  const main =
    ends.get(mainContainer) ?? [...ends.values()].find(({ exitCode }) => exitCode !== 0) ?? [...ends.values()][0];
  if (main === undefined) return undefined;
  const containers = Object.fromEntries([...ends].map(([name, { exitCode }]) => [name, exitCode]));
  const failed = Object.values(containers).find(code => code !== 0 && code !== 64) ?? main.exitCode;
  return {
    type: 'ended',
    exitCode: ends.has(mainContainer) ? main.exitCode : failed,
    isOutOfMemory: main.reason === 'OOMKilled',
    containers,
  };
}

/** An init container that failed: nothing after it ran. */
function failedInit({ spec, status }: PodObject): PodState | undefined {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const ends = endsOf((status?.initContainerStatuses ?? []).filter(({ name }) => !sidecars.has(name)));
  const [name, end] = [...ends].find(([, { exitCode }]) => exitCode !== 0) ?? [];
  if (name === undefined || end === undefined) return undefined;
  const reason = end.reason ?? 'Error';
  return {
    type: 'ended',
    exitCode: end.exitCode,
    message: `${name}: ${reason} (exit code ${end.exitCode})`,
    isOutOfMemory: false,
    containers: {},
  };
}

/** Whether the pod is still held by the runner. */
export const isHeld = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(podFinalizer) ?? false;
