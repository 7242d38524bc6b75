import type { OutboundService, ProxyScope } from '../../model/proxy-scope.ts';
import type { EncodedResource } from '../../model/resource.ts';
import { clusterName, dialledNames } from '../../model/resource-names.ts';
import { overAds } from '../config-source.ts';
import type { ResourceEncoder } from '../encoding/resource-encoder.ts';
import { httpConnectionManager, routerFilter } from '../http-connections.ts';
import type { RouteConfiguration } from '../proto/messages.ts';

function dialledListener(encoder: ResourceEncoder, name: string, routes: string): EncodedResource {
  const api_listener = httpConnectionManager(encoder.pack, {
    stat_prefix: routes,
    rds: { config_source: overAds, route_config_name: routes },
    http_filters: [routerFilter(encoder.pack)],
  });
  return encoder.encode('listener', name, { name, api_listener: { api_listener } });
}

/** The listeners of a service for gRPC clients: by the names of the service (its first port) and of each port. */
export function grpcListeners(
  encoder: ResourceEncoder,
  { service, ports }: OutboundService,
  scope: ProxyScope,
): EncodedResource[] {
  const { tenant } = scope.identity;
  const names = dialledNames(service);
  const dialled = ports.flatMap(({ port }) => names.map(name => ({ name: `${name}:${port}`, port })));
  const first = ports.slice(0, 1).flatMap(({ port }) => names.map(name => ({ name, port })));
  return [...first, ...dialled].map(({ name, port }) =>
    dialledListener(encoder, name, clusterName({ tenant, service, port })),
  );
}

/** No route: calls fail without a reason. */
const noRoutes: RouteConfiguration = {
  name: 'nowhere',
  virtual_hosts: [{ name: 'nowhere', domains: ['*'], routes: [] }],
};

/**
 * For gRPC, a listener without routes for a name that is missing or not callable, so that calls fail at once. Without a
 * listener, clients would wait for it; and the library for Node never notices that a removed listener has returned.
 */
export const deadEndListener = ({ pack, encode }: ResourceEncoder, name: string): EncodedResource => {
  const api_listener = httpConnectionManager(pack, {
    stat_prefix: 'nowhere',
    route_config: noRoutes,
    http_filters: [routerFilter(pack)],
  });
  return encode('listener', name, { name, api_listener: { api_listener } });
};
