import type { Clock } from '@chandlery/platform';
import { parseClusterName } from '../../model/resource-names.ts';
import { type ServiceName, serviceKey } from '../../model/service-name.ts';
import type { ServiceAccountName } from '../../model/topology.ts';
import type { Proxy } from '../../ports.ts';
import type { ClusterLoad, LoadReports } from './load-reports.ts';

/** The calls of one account to one service in a window. */
export interface EdgeLoad {
  readonly tenant: string;
  readonly source: ServiceAccountName;
  readonly destination: ServiceName;
  readonly issued: number;
  readonly successful: number;
  readonly failed: number;
  readonly dropped: number;
}

/** The calls in the last complete window. */
export interface LoadWindow {
  readonly start: Date;
  readonly end: Date;
  readonly edges: readonly EdgeLoad[];
}

export interface LoadAggregateOptions {
  readonly clock: Clock;
  /** Default 30 000. */
  readonly windowMs?: number;
  /** Maximum number of (source, destination) pairs in a window. Default 20 000. */
  readonly maxEdges?: number;
}

/** Load reports of all proxies of this process, summed up by source account, destination service, and window. */
export interface LoadAggregate extends LoadReports {
  lastWindow(tenant: string): LoadWindow;
}

type Counts = { issued: number; successful: number; failed: number; dropped: number };
type Edge = Pick<EdgeLoad, 'tenant' | 'source' | 'destination'> & Counts;

export function createLoadAggregate(options: LoadAggregateOptions): LoadAggregate {
  const { clock, windowMs = 30_000, maxEdges = 20_000 } = options;
  let index = Math.floor(clock.now().getTime() / windowMs);
  let current = new Map<string, Edge>();
  let last = new Map<string, Edge>();

  const roll = (): void => {
    const now = Math.floor(clock.now().getTime() / windowMs);
    if (now === index) return;
    last = now === index + 1 ? current : new Map<string, Edge>();
    current = new Map();
    index = now;
  };

  const add = (proxy: Proxy, load: ClusterLoad): boolean => {
    const destination = destinationOf(proxy, load);
    if (!destination) return true;
    const edge = edgeOf(current, { proxy, destination, maxEdges });
    if (edge) addCounts(edge, load);
    return edge !== undefined;
  };

  return {
    report(proxy, loads) {
      roll();
      return loads.map(load => add(proxy, load)).every(isKept => isKept);
    },
    lastWindow(tenant) {
      roll();
      const edges = [...last.values()].filter(edge => edge.tenant === tenant);
      return { start: new Date((index - 1) * windowMs), end: new Date(index * windowMs), edges };
    },
  };
}

/** Returns undefined for clusters that are not services of the proxy's mesh, such as its own workload. */
function destinationOf({ identity }: Proxy, { cluster }: ClusterLoad): ServiceName | undefined {
  const name = parseClusterName(cluster);
  return name?.tenant === identity.tenant ? name.service : undefined;
}

interface EdgeRequest {
  readonly proxy: Proxy;
  readonly destination: ServiceName;
  readonly maxEdges: number;
}

function edgeOf(edges: Map<string, Edge>, { proxy, destination, maxEdges }: EdgeRequest): Edge | undefined {
  const { tenant, namespace, serviceAccount } = proxy.identity;
  const key = [tenant, namespace, serviceAccount, serviceKey(destination)].join('|');
  const known = edges.get(key);
  if (known || edges.size >= maxEdges) return known;
  const source = { namespace, name: serviceAccount };
  const edge = { tenant, source, destination, issued: 0, successful: 0, failed: 0, dropped: 0 };
  edges.set(key, edge);
  return edge;
}

function addCounts(edge: Counts, { localities, dropped }: ClusterLoad): void {
  for (const locality of localities) {
    edge.issued += locality.issued;
    edge.successful += locality.successful;
    edge.failed += locality.failed;
  }
  for (const count of Object.values(dropped)) edge.dropped += count;
}
