import type { InboundPolicy, ProxyScope } from '../../model/proxy-scope.ts';
import { noTimeout } from '../config-source.ts';
import { httpRbacFilterName } from '../http-connections.ts';
import { type Grant, requestRules, requestsOn } from '../matching/access-rules.ts';
import { anyRequest, type RequestMatch, requestMatches, routeMatch } from '../matching/http-match.ts';
import type { Pack, RouteConfiguration } from '../proto/messages.ts';

export interface InboundRoutes {
  readonly name: string;
  /** Target port of the workload. */
  readonly port: number;
  /** The cluster of the workload. */
  readonly cluster: string;
  readonly grants: readonly Grant[];
}

/** Requests that some caller may make; others get no route. */
function routedRequests({ rules }: InboundPolicy, port: number, { isPermissive, dialect }: ProxyScope): RequestMatch[] {
  if (isPermissive) return [anyRequest];
  return requestMatches(
    rules.flatMap(rule => requestsOn(rule, port)),
    dialect,
  );
}

/**
 * Inbound routes of the workload: 404 for requests that no policy matches, 403 for requests that only other callers may
 * make. Access rules are on the virtual host instead of the routes: a request that several policies match is allowed
 * when one of them allows it, independent of its route.
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
