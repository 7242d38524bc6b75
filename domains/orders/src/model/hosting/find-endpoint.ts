import type { KubeObject } from '@chandlery/api';
import { reportedPorts } from '@chandlery/clusters/kinds';
import type { HostedEndpoint, HostedState } from '../../order-ports.ts';
import { hostedPort } from './hosted-deployment.ts';

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: object;
  readonly terminated?: { readonly reason?: string; readonly message?: string; readonly exitCode?: number };
}

interface PodStatus {
  readonly phase?: string;
  readonly podIP?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  readonly containerStatuses?: readonly {
    readonly ready?: boolean;
    readonly restartCount?: number;
    readonly state?: ContainerState;
    readonly lastState?: ContainerState;
  }[];
}

const statusOf = (pod: KubeObject): PodStatus => pod['status'] ?? {};

/** Returns where the process of a service is reached, or why it is not. The newest pod that is ready counts. */
export function hostedState(pods: readonly KubeObject[]): HostedState {
  const newestFirst = pods.toSorted((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1));
  const alive = newestFirst.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (const pod of alive) {
    const endpoint = endpointOf(pod);
    if (endpoint !== undefined) return { endpoint };
  }
  const [newest] = alive;
  if (newest === undefined) return { problem: 'no process of it has been started yet', isStarting: false };
  return problemOf(newest);
}

const createdAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';

function endpointOf(pod: KubeObject): HostedEndpoint | undefined {
  const { podIP: host, containerStatuses: [container] = [] } = statusOf(pod);
  const port = reportedPorts(pod.metadata.annotations)[hostedPort];
  if (host === undefined || port === undefined || container?.ready !== true) return undefined;
  return { host, port, process: `${pod.metadata.uid ?? ''}/${container.restartCount ?? 0}` };
}

function problemOf(pod: KubeObject): HostedState {
  const { containerStatuses: [container] = [], conditions = [] } = statusOf(pod);
  const { waiting, running } = container?.state ?? {};
  if (running !== undefined) return { problem: 'its process has started and is not ready yet', isStarting: true };
  const ended = container?.state?.terminated ?? container?.lastState?.terminated;
  const how = ended === undefined ? '' : `; its process ended with exit code ${ended.exitCode ?? 'unknown'}`;
  if (waiting !== undefined && waiting.reason !== 'ContainerCreating')
    return { problem: `${[waiting.reason, waiting.message].filter(Boolean).join(': ')}${how}`, isStarting: false };
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled !== undefined) return { problem: unscheduled.message ?? 'no node runs it', isStarting: false };
  return { problem: `its process is being started${how}`, isStarting: ended === undefined };
}

/** Whether a process, as {@link HostedEndpoint} names it, still runs. */
export function isRunning(pods: readonly KubeObject[], process: string): boolean {
  const [uid, attempt] = process.split('/');
  const pod = pods.find(({ metadata }) => metadata.uid === uid);
  const [container] = pod === undefined ? [] : (statusOf(pod).containerStatuses ?? []);
  return container?.state?.running !== undefined && String(container.restartCount ?? 0) === attempt;
}
