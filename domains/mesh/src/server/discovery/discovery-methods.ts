import type { ResourceType } from '../../model/resource.ts';

/** The methods that serve one resource type. */
export interface TypeMethods {
  readonly type: ResourceType;
  readonly stream: string;
  readonly delta: string;
  readonly fetch: string;
  /** Path of the REST interface. */
  readonly restPath: string;
}

function methodsOf(type: ResourceType, service: string, noun: string): TypeMethods {
  const path = `/envoy.service.${service}DiscoveryService`;
  return {
    type,
    stream: `${path}/Stream${noun}`,
    delta: `${path}/Delta${noun}`,
    fetch: `${path}/Fetch${noun}`,
    restPath: `/v3/discovery:${noun.toLowerCase()}`,
  };
}

/** The services of single resource types. */
export const typeMethods: readonly TypeMethods[] = [
  methodsOf('cluster', 'cluster.v3.Cluster', 'Clusters'),
  methodsOf('endpoints', 'endpoint.v3.Endpoint', 'Endpoints'),
  methodsOf('listener', 'listener.v3.Listener', 'Listeners'),
  methodsOf('route', 'route.v3.Route', 'Routes'),
  methodsOf('secret', 'secret.v3.Secret', 'Secrets'),
];

const aggregated = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
const clientStatus = '/envoy.service.status.v3.ClientStatusDiscoveryService';

/** Aggregated discovery, load reporting and client status. */
export const otherMethods = {
  aggregated: `${aggregated}/StreamAggregatedResources`,
  aggregatedDelta: `${aggregated}/DeltaAggregatedResources`,
  loadStats: '/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats',
  clientStatus: `${clientStatus}/StreamClientStatus`,
  fetchClientStatus: `${clientStatus}/FetchClientStatus`,
} as const;
