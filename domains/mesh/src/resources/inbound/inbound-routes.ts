import type { InboundPolicy, ProxyScope } from '../../model/proxy-scope.ts';
import { noTimeout } from '../config-source.ts';
import { httpRbacFilterName } from '../http-connections.ts';
import { type Grant, requestRules, requestsOn } from '../matching/access-rules.ts';
import { anyRequest, type RequestMatch, requestMatches, routeMatch } from '../matching/http-match.ts';
import type { Pack, RouteConfiguration } from '../proto/messages.ts';

export interface InboundRoutes {
  readonly name: string;
  /** Where the workload listens. */
  readonly port: number;
  /** The cluster of the workload. */
  readonly cluster: string;
  readonly grants: readonly Grant[];
}

/** Requests that anybody at all may make there; for the others there is no route. */
function routedRequests({ rules }: InboundPolicy, port: number, { isPermissive, dialect }: ProxyScope): RequestMatch[] {
  if (isPermissive) return [anyRequest];
  return requestMatches(
    rules.flatMap(rule => requestsOn(rule, port)),
    dialect,
  );
}

/**
 * Routes of requests to the workload: 404 for requests that no policy knows, 403 for those that it allows to others.
 * The access rules stand on the virtual host, not on the routes: a request that two policies match in different words
 * is allowed when either allows it, whichever route it takes.
 */
export function inboundRoutes(
  pack: Pack,
  policy: InboundPolicy,
  { scope, routes }: { readonly scope: ProxyScope; readonly routes: InboundRoutes },
): RouteConfiguration {
  const { name, port, cluster, grants } = routes;
  const rules = pack('envoy.extensions.filters.http.rbac.v3.RBACPerRoute', { rbac: { rules: requestRules(grants) } });
  return {
    name,
    virtual_hosts: [
      {
        name,
        domains: ['*'],
        routes: routedRequests(policy, port, scope).map(request => ({
          match: routeMatch(request),
          route: { cluster, timeout: noTimeout, idle_timeout: noTimeout },
        })),
        typed_per_filter_config: { [httpRbacFilterName]: rules },
      },
    ],
    validate_clusters: { value: false },
  };
}
