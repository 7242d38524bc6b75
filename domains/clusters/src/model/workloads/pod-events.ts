import type { ContainerStatus, PodStatus } from '../pods/pod-status.ts';

/** An event of a pod. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

const containersOf = (status: PodStatus | undefined): readonly ContainerStatus[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

/** The events between two reports of a node. */
export function podEvents(before: PodStatus | undefined, after: PodStatus): readonly PodEvent[] {
  const known = new Map(containersOf(before).map(container => [container.name, container]));
  return containersOf(after).flatMap(container => containerEvents(known.get(container.name), container));
}

function containerEvents(before: ContainerStatus | undefined, after: ContainerStatus): readonly PodEvent[] {
  const isStarted = after.state.running !== undefined && after.containerID !== before?.containerID;
  if (isStarted) return [{ type: 'Normal', reason: 'Started', message: `Started container ${after.name}` }];
  const { waiting } = after.state;
  if (waiting === undefined || waiting.reason === before?.state.waiting?.reason) return [];
  return waitingEvents(after, waiting.reason, waiting.message ?? '');
}

function waitingEvents({ name, image }: ContainerStatus, reason: string, message: string): readonly PodEvent[] {
  switch (reason) {
    case 'CrashLoopBackOff':
      return [{ type: 'Warning', reason: 'BackOff', message: `Back-off restarting failed container ${name}` }];
    case 'ImagePullBackOff':
      return [{ type: 'Normal', reason: 'BackOff', message: `Back-off pulling image "${image}"` }];
    case 'ErrImagePull':
    case 'CreateContainerConfigError':
      return [{ type: 'Warning', reason: 'Failed', message: `Error: ${reason}: ${message}` }];
    default:
      return [];
  }
}
