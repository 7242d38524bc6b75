import type { OutboundService, ProxyScope } from '../../model/proxy-scope.ts';
import { clusterName, nowhereClusterName } from '../../model/resource-names.ts';
import { noTimeout } from '../config-source.ts';
import { anyRequest, type RequestMatch, requestMatches, routeMatch } from '../matching/http-match.ts';
import type { ClusterWeight, Pack, RetryPolicy, Route, RouteAction, RouteConfiguration } from '../proto/messages.ts';
import { type SplitPort, weightedClusters } from './weighted-clusters.ts';

/**
 * Retries requests that no endpoint has received, on another endpoint: failed connections, refused streams, and
 * connections that were reset before the request was sent. A request that may have been processed is never sent twice.
 */
const retriedFailures = ['connect-failure', 'refused-stream', 'reset-before-request'].join(',');
const maxRetries = 2;
const maxSelections = 5;

const envoyRetryPolicy = (pack: Pack): RetryPolicy => ({
  retry_on: retriedFailures,
  num_retries: { value: maxRetries },
  retry_host_predicate: [
    {
      name: 'envoy.retry_host_predicates.previous_hosts',
      typed_config: pack('envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate', {}),
    },
  ],
  host_selection_retry_max_attempts: maxSelections,
});

interface RoutedPort extends SplitPort {
  readonly pack: Pack;
  readonly scope: ProxyScope;
}

type Action = Pick<Route, 'route'> | Pick<Route, 'direct_response'>;

function forwardTo(clusters: readonly ClusterWeight[], { pack, scope }: RoutedPort): Action {
  const weighted = clusters.map(({ name, weight }) => ({ name, weight: { value: weight } }));
  const retries = scope.dialect === 'envoy' ? { retry_policy: envoyRetryPolicy(pack) } : {};
  const route: RouteAction = {
    weighted_clusters: { clusters: weighted },
    timeout: noTimeout,
    idle_timeout: noTimeout,
    ...retries,
  };
  return { route };
}

/** 503, and UNAVAILABLE for gRPC, whose libraries support no direct response: the cluster has no endpoints. */
const unavailable = (port: RoutedPort): Action =>
  port.scope.dialect === 'envoy'
    ? { direct_response: { status: 503, body: { inline_string: 'the weights of the split add up to 0' } } }
    : forwardTo([{ name: nowhereClusterName(port.tenant), weight: 1 }], port);

/** Proxies reject an empty list of clusters. */
function routesTo(requests: readonly RequestMatch[], clusters: readonly ClusterWeight[], port: RoutedPort): Route[] {
  const action = clusters.length === 0 ? unavailable(port) : forwardTo(clusters, port);
  return requests.map(request => ({ match: routeMatch(request), ...action }));
}

/** Requests that match a split come first, all others go to the service itself. */
function routesOf({ service, split }: OutboundService, port: RoutedPort): Route[] {
  const toService = routesTo([anyRequest], weightedClusters([{ service, weight: 1 }], port), port);
  if (!split) return toService;
  const divided = weightedClusters(split.backends, port);
  const isGrpc = port.scope.dialect === 'grpc';
  // A gRPC library fails with UNAVAILABLE without a route.
  if (!split.matches) return isGrpc && divided.length === 0 ? [] : routesTo([anyRequest], divided, port);
  return [...routesTo(requestMatches(split.matches, port.scope.dialect), divided, port), ...toService];
}

/** The routes of requests to a service port. They have the name of its cluster. */
export function outboundRoutes(
  pack: Pack,
  outbound: OutboundService,
  { port, scope }: { readonly port: number; readonly scope: ProxyScope },
): RouteConfiguration {
  const { tenant } = scope.identity;
  const name = clusterName({ tenant, service: outbound.service, port });
  return {
    name,
    virtual_hosts: [
      {
        name,
        // Envoy selects these routes by the address and port of the service, a gRPC library by the dialled name: the
        // host (an alias, a trailing dot) does not matter.
        domains: ['*'],
        routes: routesOf(outbound, { tenant, port, pack, scope }),
      },
    ],
    // A route may arrive before its clusters.
    validate_clusters: { value: false },
  };
}
