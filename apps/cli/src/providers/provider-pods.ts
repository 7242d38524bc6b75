import { setTimeout as sleep } from 'node:timers/promises';
import { byCreation, type KubeObject } from '@chandlery/api';
import { type HttpClient, resourcePath } from '@chandlery/client';
import { shorten, systemNamespace } from '@chandlery/clusters/kinds';
import type { Provider } from '@chandlery/providers/kinds';
import { linesOf } from '../output/lines.ts';

/** The part of a provider that a pod belongs to. */
export type ProviderPart = 'init' | 'run';

const components: Readonly<Record<ProviderPart, string>> = { init: 'init-job', run: 'controller' };
const pods = { group: '', version: 'v1', plural: 'pods', namespace: systemNamespace };

interface Container {
  readonly restartCount?: number;
  readonly state?: { readonly running?: object; readonly terminated?: object };
  readonly lastState?: { readonly terminated?: object };
}

export interface Pod extends KubeObject {
  readonly status?: { readonly containerStatuses?: readonly Container[] };
}

/** Selects what the operator made for a part of a provider. */
export function partSelector({ kind, metadata }: Pick<Provider, 'kind' | 'metadata'>, part: ProviderPart): string {
  const labels = {
    'app.kubernetes.io/managed-by': 'chandlery-operator',
    'app.kubernetes.io/name': kind,
    'app.kubernetes.io/instance': shorten(metadata.name ?? ''),
    'app.kubernetes.io/component': components[part],
  };
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** The pods of a part of a provider, the oldest first. */
export async function podsOf(
  platform: HttpClient,
  provider: Pick<Provider, 'kind' | 'metadata'>,
  part: ProviderPart,
): Promise<readonly Pod[]> {
  const { items } = await platform.list<Pod>(pods, { labelSelector: partSelector(provider, part) });
  return items.toSorted(byCreation);
}

/** Identifies one run of a container: each restart has a log of its own. */
export const runOf = ({ metadata, status }: Pod): string =>
  `${metadata.uid}/${status?.containerStatuses?.[0]?.restartCount ?? 0}`;

/** Whether a container of the pod has written a log. */
export const hasLog = ({ status }: Pod): boolean =>
  (status?.containerStatuses ?? []).some(
    ({ state, lastState }) =>
      state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined,
  );

/** The query of a log, as the Kubernetes API has it. */
export type LogQuery = Readonly<
  Partial<Record<'follow' | 'previous' | 'timestamps' | 'tailLines', string | true | undefined>>
>;

/** The lines of a pod's log; with `follow` until its container ends or `signal` is aborted. */
export async function* readPodLog(
  platform: HttpClient,
  { metadata: { name = '' } }: Pod,
  { query, signal }: { readonly query: LogQuery; readonly signal?: AbortSignal },
): AsyncGenerator<string> {
  const path = resourcePath({ ...pods, name, subresource: 'log' });
  const options = { query, isEndless: query.follow === true, ...(signal && { signal }) };
  yield* linesOf((await platform.raw(path, options)).body);
}

/** How often new pods and restarts are looked for. */
const pauseMs = 500;

export interface FollowLogsOptions {
  readonly parts: readonly ProviderPart[];
  readonly query: LogQuery;
  readonly signal: AbortSignal;
  /** Runs whose logs are not wanted. */
  readonly seen?: Iterable<string>;
  readonly onLine: (line: string, part: ProviderPart) => void;
}

/** Follows the logs of a provider through restarts and new versions, until `signal` is aborted. */
export async function followLogs(
  platform: HttpClient,
  provider: Pick<Provider, 'kind' | 'metadata'>,
  { parts, query, signal, seen: known = [], onLine }: FollowLogsOptions,
): Promise<void> {
  const seen = new Set(known);
  const print = async (pod: Pod, part: ProviderPart): Promise<void> => {
    for await (const line of readPodLog(platform, pod, { query, signal })) onLine(line, part);
  };
  while (!signal.aborted) {
    for (const part of parts) {
      // While the landscape restarts there are none.
      for (const pod of await podsOf(platform, provider, part).catch(() => [])) {
        if (seen.has(runOf(pod)) || !hasLog(pod)) continue;
        seen.add(runOf(pod));
        // A pod may be deleted while its log is read; its successor is followed next.
        void print(pod, part).catch(() => undefined);
      }
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
