import type { KubeObject } from '@chandlery/api';
import { objectPath } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { changeQuery, useViewLocation } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { LogViewer } from '../log-viewer.tsx';

interface PodSpec {
  readonly initContainers?: readonly { readonly name: string }[];
  readonly containers?: readonly { readonly name: string }[];
}

interface ContainerStatus {
  readonly name: string;
  readonly state?: { readonly running?: Run; readonly terminated?: Run };
  readonly lastState?: { readonly terminated?: Run };
}

interface Run {
  readonly startedAt?: string;
}

interface PodStatus {
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

const tailLines = 1000;
const pods = { group: '', version: 'v1', plural: 'pods' };

/** The log of a container of a pod, followed. */
export function LogsTab({ pod }: { readonly pod: KubeObject }) {
  const { cluster } = useCluster();
  const { initContainers = [], containers = [] } = (pod as { readonly spec?: PodSpec }).spec ?? {};
  const { namespace = '', name = '', uid } = pod.metadata;
  const names = [...containers, ...initContainers].map(container => container.name);
  const wanted = useViewLocation().query.get('container');
  const container = names.find(each => each === wanted) ?? names[0] ?? '';
  const { running, run } = runOf(pod, container);
  const open = (signal: AbortSignal): Promise<Response> =>
    request(`${objectPath(cluster, pods, { namespace, name })}/log`, {
      query: { container, follow: true, tailLines },
      signal,
    });
  return (
    <LogViewer
      source={`${cluster}/${uid}/${container}`}
      run={run?.startedAt ?? ''}
      isRunning={running !== undefined}
      open={open}
      fileName={`${name}-${container}.log`}
    >
      <label className="field-inline">
        <span>Container</span>
        <select
          value={container}
          onChange={({ target }) =>
            changeQuery({ container: target.value === names[0] ? undefined : target.value }, { replace: true })
          }
        >
          {names.map(each => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </LogViewer>
  );
}

/** The run of a container that writes its log, or has written it. */
function runOf(pod: KubeObject, container: string) {
  const { initContainerStatuses = [], containerStatuses = [] } = (pod as { readonly status?: PodStatus }).status ?? {};
  const found = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container);
  const { running, terminated } = found?.state ?? {};
  return { running, run: running ?? terminated ?? found?.lastState?.terminated };
}
