import { noTimeout, overAds } from './config-source.ts';
import type { Filter, HttpConnectionManager, Pack, PackedMessage, RbacRules } from './proto/messages.ts';

/** Per-route configuration refers to this filter name. */
export const httpRbacFilterName = 'envoy.filters.http.rbac';

type HttpFilter = NonNullable<HttpConnectionManager['http_filters']>[number];

/** The router filter; always the last one. */
export const routerFilter = (pack: Pack): HttpFilter => ({
  name: 'envoy.filters.http.router',
  typed_config: pack('envoy.extensions.filters.http.router.v3.Router', {}),
});

/** Without rules, the filter allows everything except what the route's own rules deny. */
export const httpRbacFilter = (pack: Pack, rules?: RbacRules): HttpFilter => ({
  name: httpRbacFilterName,
  typed_config: pack('envoy.extensions.filters.http.rbac.v3.RBAC', rules ? { rules } : {}),
});

/** The HTTP connection manager, with routes by name. */
export const httpConnectionManager = (
  pack: Pack,
  config: HttpConnectionManager & { readonly stat_prefix: string },
): PackedMessage => pack('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', config);

/** Envoy's HTTP filter for both directions. */
export const envoyHttpFilter = (
  pack: Pack,
  { routes, filters }: { readonly routes: string; readonly filters: HttpFilter[] },
): Filter => ({
  name: 'envoy.filters.network.http_connection_manager',
  typed_config: httpConnectionManager(pack, {
    stat_prefix: routes,
    rds: { config_source: overAds, route_config_name: routes },
    http_filters: filters,
    // Paths are compared and forwarded in normalized form, see model/policy/compared-path.ts.
    normalize_path: { value: true },
    merge_slashes: true,
    path_with_escaped_slashes_action: 'REJECT_REQUEST',
    stream_idle_timeout: noTimeout,
    upgrade_configs: [{ upgrade_type: 'websocket' }],
  }),
});
