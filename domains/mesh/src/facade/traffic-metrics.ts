import { formatApiVersion } from '@chandlery/api';
import { trafficMetrics } from '../kinds/smi/traffic-metrics.ts';
import { type ServiceName, serviceKey } from '../model/service-name.ts';
import type { EdgeLoad, LoadWindow } from '../server/load-and-status/load-aggregate.ts';

const { group, kind, versions } = trafficMetrics;
const apiVersion = formatApiVersion({ group, version: versions[0].name });

interface ObjectReference {
  readonly apiVersion: 'v1';
  readonly kind: 'Service' | 'ServiceAccount';
  readonly namespace: string;
  readonly name: string;
}

/** SMI's `TrafficMetrics`. Calls are counted by their clients, so that `side` is always `client`. */
export interface TrafficMetrics {
  readonly apiVersion: string;
  readonly kind: typeof kind;
  /** Name of the service, by which Kubernetes clients identify the object. */
  readonly metadata: ServiceName;
  readonly resource: ObjectReference;
  /**
   * `from`: calls of the other to the resource; `to`: calls of the resource to the other; null: the sum over all
   * others.
   */
  readonly edge: {
    readonly direction: 'from' | 'to';
    readonly side: 'client';
    readonly resource: ObjectReference | null;
  };
  /** End of the window. */
  readonly timestamp: string;
  readonly window: string;
  readonly metrics: readonly { readonly name: string; readonly value: string }[];
}

/** Metrics of all calls to a service. */
export const metricsOfService = (window: LoadWindow, service: ServiceName): TrafficMetrics =>
  show(window, service, { direction: 'from', edges: window.edges.filter(isTo(service)) });

/**
 * Metrics of the calls to a service by account, then of the calls of its own accounts (`namespace/name`) by service.
 */
export function metricsOfEdges(
  window: LoadWindow,
  service: ServiceName,
  accounts: readonly string[],
): TrafficMetrics[] {
  const to = window.edges.filter(isTo(service)).map(edge => {
    const other = reference('ServiceAccount', edge.source);
    return show(window, service, { direction: 'from', edges: [edge], other });
  });
  const called = Map.groupBy(
    window.edges.filter(({ source }) => accounts.includes(serviceKey(source))),
    ({ destination }) => serviceKey(destination),
  );
  const from = [...called.values()].map(edges => {
    const other = edges[0] && reference('Service', edges[0].destination);
    return show(window, service, { direction: 'to', edges, ...(other && { other }) });
  });
  return [...sorted(to), ...sorted(from)];
}

/** The metrics as a Kubernetes list. */
export const metricsList = (items: readonly TrafficMetrics[]): object => ({
  apiVersion,
  kind: `${kind}List`,
  metadata: {},
  items,
});

interface Shown {
  readonly direction: 'from' | 'to';
  readonly edges: readonly EdgeLoad[];
  /** Default: all others. */
  readonly other?: ObjectReference;
}

const isTo =
  (service: ServiceName) =>
  ({ destination }: EdgeLoad): boolean =>
    serviceKey(destination) === serviceKey(service);

function show({ start, end }: LoadWindow, service: ServiceName, { direction, edges, other }: Shown): TrafficMetrics {
  const sum = (count: (edge: EdgeLoad) => number): string => `${edges.reduce((all, edge) => all + count(edge), 0)}`;
  return {
    apiVersion,
    kind,
    metadata: { namespace: service.namespace, name: service.name },
    resource: reference('Service', service),
    edge: { direction, side: 'client', resource: other ?? null },
    timestamp: end.toISOString(),
    window: `${(end.getTime() - start.getTime()) / 1000}s`,
    metrics: [
      { name: 'success_count', value: sum(({ successful }) => successful) },
      // A request that was dropped before it was sent is a failure for the caller.
      { name: 'failure_count', value: sum(({ failed, dropped }) => failed + dropped) },
    ],
  };
}

const reference = (kind: ObjectReference['kind'], { namespace, name }: ServiceName): ObjectReference => ({
  apiVersion: 'v1',
  kind,
  namespace,
  name,
});

const sorted = (metrics: readonly TrafficMetrics[]): TrafficMetrics[] => metrics.toSorted((a, b) => order(a, b));

const order = (a: TrafficMetrics, b: TrafficMetrics): number => (keyOf(a) < keyOf(b) ? -1 : 1);

const keyOf = ({ edge }: TrafficMetrics): string => (edge.resource === null ? '' : serviceKey(edge.resource));
