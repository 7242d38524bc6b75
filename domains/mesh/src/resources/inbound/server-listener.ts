import { isIP } from 'node:net';
import type { InboundPolicy, ProxyScope } from '../../model/proxy-scope.ts';
import type { EncodedResource } from '../../model/resource.ts';
import { serverListenerPrefix } from '../../model/resource-names.ts';
import type { ResourceEncoder } from '../encoding/resource-encoder.ts';
import { httpConnectionManager, httpRbacFilter, routerFilter } from '../http-connections.ts';
import { socketAddress } from '../listener-parts.ts';
import { grantsFor, requestRules } from '../matching/access-rules.ts';
import { anyRequest, routeMatch } from '../matching/http-match.ts';
import type { RouteConfiguration } from '../proto/messages.ts';
import { grpcDownstreamTls } from '../security/tls-contexts.ts';
import { guardedPort } from './guarded-ports.ts';

interface BoundAddress {
  readonly ip: string;
  readonly port: number;
}

/** `ip:port`, or `[ip]:port`. */
function parseBoundAddress(text: string): BoundAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text);
  const ip = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3]);
  return isIP(ip) !== 0 && port > 0 && port <= 65535 ? { ip, port } : undefined;
}

/** The server handles the request itself, after authorization. */
const servedLocally: RouteConfiguration = {
  name: 'server',
  virtual_hosts: [
    { name: 'server', domains: ['*'], routes: [{ match: routeMatch(anyRequest), non_forwarding_action: {} }] },
  ],
};

/** The listener of a gRPC server for its bound address: TLS and access rules. Undefined for any other name. */
export function serverListener(
  { pack, encode }: ResourceEncoder,
  name: string,
  { policy, scope }: { readonly policy: InboundPolicy; readonly scope: ProxyScope },
): EncodedResource | undefined {
  const bound = name.startsWith(serverListenerPrefix)
    ? parseBoundAddress(name.slice(serverListenerPrefix.length))
    : undefined;
  if (!bound || scope.dialect !== 'grpc') return undefined;
  const rules = requestRules(grantsFor(policy, guardedPort(policy, bound.port), scope));
  const typed_config = httpConnectionManager(pack, {
    stat_prefix: 'server',
    route_config: servedLocally,
    http_filters: [httpRbacFilter(pack, rules), routerFilter(pack)],
  });
  return encode('listener', name, {
    name,
    address: socketAddress(bound.ip, bound.port),
    default_filter_chain: {
      name: 'server',
      filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config }],
      transport_socket: grpcDownstreamTls(pack),
    },
  });
}
