import type { ContainerStatus, PodStatus } from '../../model/pods/pod-status.ts';
import type { LogRequest } from '../../ports.ts';

type Found = { readonly attempt: number } | { readonly problem: string };

/** Finds the attempt of a container whose log is requested. */
export function findLog(
  status: PodStatus,
  request: Pick<LogRequest, 'container' | 'previous'>,
  podName: string,
): Found {
  const name = request.container;
  const statuses = [...(status.initContainerStatuses ?? []), ...status.containerStatuses];
  const container = statuses.find(candidate => candidate.name === name);
  if (container === undefined) return { problem: `container ${name} is not valid for pod ${podName}` };
  const id = request.previous === true ? container.lastState.terminated?.containerID : currentId(container);
  if (id !== undefined) return { attempt: Number(id.slice(id.lastIndexOf('/') + 1)) };
  if (request.previous === true)
    return { problem: `previous terminated container "${name}" in pod "${podName}" not found` };
  const why = container.state.waiting?.reason ?? 'ContainerCreating';
  return { problem: `container "${name}" in pod "${podName}" is waiting to start: ${why}` };
}

/** While it waits for a restart, the process that just ended is the current one. */
const currentId = ({ state, lastState, containerID }: ContainerStatus): string | undefined =>
  state.waiting === undefined ? containerID : lastState.terminated?.containerID;
