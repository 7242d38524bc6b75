import type { KubeObject } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { readyEndpoints } from '../cluster/ready-endpoints.ts';
import type { Reporter } from '../control-plane/reporter.ts';
import { agentNames } from '../model/names.ts';
import { type MeasuredSample, parseExposition } from './parse-exposition.ts';

export interface CollectDeps {
  readonly view: Pick<ClusterView, 'namespaceOf' | 'objects' | 'instanceIds'>;
  readonly reporter: Pick<Reporter, 'statusOf'>;
  readonly logger: Logger;
}

/** Of one instance, at one time. */
const maxSamples = 200;
const maxBytes = 1 << 20;
const scrapeTimeoutMs = 2000;
const maxConcurrent = 16;

/** Measures all instances: whether they are up, how often they were restarted, and what they say themselves. */
export async function collectSamples(deps: CollectDeps): Promise<ReadonlyMap<string, readonly MeasuredSample[]>> {
  const samples = new Map<string, readonly MeasuredSample[]>();
  const ids = [...deps.view.instanceIds].values();
  const work = async (): Promise<void> => {
    for (const id of ids) samples.set(id, await measure(deps, id));
  };
  await Promise.all(Array.from({ length: maxConcurrent }, work));
  return samples;
}

async function measure(deps: CollectDeps, id: string): Promise<readonly MeasuredSample[]> {
  const namespace = deps.view.namespaceOf(id)?.metadata.name ?? '';
  const isUp = deps.reporter.statusOf(id)?.condition.status === 'True';
  const pods = deps.view.objects('v1/Pod', namespace);
  const own: readonly MeasuredSample[] = [
    { metric: { __name__: 'fleet_instance_up' }, value: isUp ? 1 : 0 },
    {
      metric: { __name__: 'fleet_instance_restarts_total' },
      value: pods.reduce((sum, pod) => sum + restartsOf(pod), 0),
    },
  ];
  return [...own, ...(await scrape(deps, namespace))].slice(0, maxSamples);
}

async function scrape({ view, logger }: CollectDeps, namespace: string): Promise<readonly MeasuredSample[]> {
  const service = view.objects('v1/Service', namespace).find(candidate => metricsPortOf(candidate) !== undefined);
  const backend = service && readyEndpoints(view, service, metricsPortOf(service))[0];
  if (backend === undefined) return [];
  try {
    const signal = AbortSignal.timeout(scrapeTimeoutMs);
    const response = await fetch(`http://${backend.address}:${backend.port}/metrics`, { signal });
    const text = response.ok ? (await response.text()).slice(0, maxBytes) : '';
    return parseExposition(text, maxSamples);
  } catch (thrown) {
    logger.debug('metrics of an instance were not read', { namespace, error: String(thrown) });
    return [];
  }
}

const metricsPortOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[agentNames.metricsPortAnnotation];

interface Pod extends KubeObject {
  status?: { containerStatuses?: readonly { restartCount?: number }[] };
}

const restartsOf = (pod: KubeObject): number =>
  ((pod as Pod).status?.containerStatuses ?? []).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
