import type { OutboundService, ProxyScope } from '../../model/proxy-scope.ts';
import { clusterName } from '../../model/resource-names.ts';
import { noTimeout } from '../config-source.ts';
import { anyRequest, type RequestMatch, requestMatches, routeMatch } from '../matching/http-match.ts';
import type { ClusterWeight, Route, RouteAction, RouteConfiguration } from '../proto/messages.ts';
import { hostNames } from './host-names.ts';
import { type SplitPort, weightedClusters } from './weighted-clusters.ts';

function routeTo(clusters: readonly ClusterWeight[]): RouteAction {
  const weighted = clusters.map(({ name, weight }) => ({ name, weight: { value: weight } }));
  return { weighted_clusters: { clusters: weighted }, timeout: noTimeout, idle_timeout: noTimeout };
}

/** No route at all without clusters: proxies refuse an empty list. */
const routesTo = (requests: readonly RequestMatch[], clusters: readonly ClusterWeight[]): Route[] =>
  clusters.length === 0 ? [] : requests.map(request => ({ match: routeMatch(request), route: routeTo(clusters) }));

/** Requests that a split is about come first, all others go to the service itself. */
function routesOf({ service, split }: OutboundService, port: SplitPort, scope: ProxyScope): Route[] {
  const toService = routesTo([anyRequest], weightedClusters([{ service, weight: 1 }], port));
  if (!split) return toService;
  const divided = weightedClusters(split.backends, port);
  if (!split.matches) return routesTo([anyRequest], divided);
  return [...routesTo(requestMatches(split.matches, scope.dialect), divided), ...toService];
}

/** How requests to a port of a service find their cluster. Named like the cluster of the service itself. */
export function outboundRoutes(outbound: OutboundService, port: number, scope: ProxyScope): RouteConfiguration {
  const { tenant } = scope.identity;
  const name = clusterName({ tenant, service: outbound.service, port });
  const isEnvoy = scope.dialect === 'envoy';
  return {
    name,
    virtual_hosts: [
      {
        name,
        // A gRPC library has found these routes by the name that it dialled; there is nothing left to compare.
        domains: isEnvoy ? hostNames(outbound, port) : ['*'],
        routes: routesOf(outbound, { tenant, port }, scope),
      },
    ],
    // A route may become known before its clusters.
    validate_clusters: { value: false },
  };
}
