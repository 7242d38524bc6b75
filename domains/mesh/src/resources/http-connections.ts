import { noTimeout, overAds } from './config-source.ts';
import type { Filter, HttpConnectionManager, Pack, PackedMessage, RbacRules } from './proto/messages.ts';

/** Configuration of a route is found by this name, so it must be just this. */
export const httpRbacFilterName = 'envoy.filters.http.rbac';

type HttpFilter = NonNullable<HttpConnectionManager['http_filters']>[number];

/** Hands the request on; always the last. */
export const routerFilter = (pack: Pack): HttpFilter => ({
  name: 'envoy.filters.http.router',
  typed_config: pack('envoy.extensions.filters.http.router.v3.Router', {}),
});

/** Without rules it lets everything pass that the route's own rules do not deny. */
export const httpRbacFilter = (pack: Pack, rules?: RbacRules): HttpFilter => ({
  name: httpRbacFilterName,
  typed_config: pack('envoy.extensions.filters.http.rbac.v3.RBAC', rules ? { rules } : {}),
});

/** Reads HTTP from connections and finds the routes under their name. */
export const httpConnectionManager = (
  pack: Pack,
  config: HttpConnectionManager & { readonly stat_prefix: string },
): PackedMessage => pack('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', config);

/** What Envoy is told of HTTP in both directions. */
export const envoyHttpFilter = (
  pack: Pack,
  { routes, filters }: { readonly routes: string; readonly filters: HttpFilter[] },
): Filter => ({
  name: 'envoy.filters.network.http_connection_manager',
  typed_config: httpConnectionManager(pack, {
    stat_prefix: routes,
    rds: { config_source: overAds, route_config_name: routes },
    http_filters: filters,
    // Paths are compared and forwarded in one form, whichever way they were written: see model/policy/compared-path.ts.
    normalize_path: { value: true },
    merge_slashes: true,
    path_with_escaped_slashes_action: 'REJECT_REQUEST',
    stream_idle_timeout: noTimeout,
    upgrade_configs: [{ upgrade_type: 'websocket' }],
  }),
});
