import { isIPv6 } from 'node:net';
import type { ServicePort } from '../../model/mesh-service.ts';
import type { OutboundService, ProxyScope } from '../../model/proxy-scope.ts';
import type { EncodedResource } from '../../model/resource.ts';
import { clusterName, outboundListenerName, passthroughClusterName } from '../../model/resource-names.ts';
import { serviceKey } from '../../model/service-name.ts';
import type { ResourceEncoder } from '../encoding/resource-encoder.ts';
import { connectTimeout, envoyClusterLimits } from '../envoy-cluster.ts';
import { envoyHttpFilter, routerFilter } from '../http-connections.ts';
import { anyAddress, originalDestinationFilter } from '../listener-parts.ts';
import type { Cluster, Filter, FilterChain, Pack } from '../proto/messages.ts';
import { closingFilter, tcpProxyFilter } from '../tcp-filter.ts';
import { connectionClusters } from './weighted-clusters.ts';

interface ServedPort {
  readonly outbound: OutboundService;
  readonly port: ServicePort;
  readonly addresses: readonly string[];
}

const wholeAddress = (address: string): { address_prefix: string; prefix_len: { value: number } } => ({
  address_prefix: address,
  prefix_len: { value: isIPv6(address) ? 128 : 32 },
});

function filterOf(pack: Pack, { outbound, port }: ServedPort, scope: ProxyScope): Filter {
  const { tenant } = scope.identity;
  const name = clusterName({ tenant, service: outbound.service, port: port.port });
  if (port.protocol === 'http') return envoyHttpFilter(pack, { routes: name, filters: [routerFilter(pack)] });
  const clusters = connectionClusters(outbound, { tenant, port: port.port });
  return clusters.length === 0 ? closingFilter(pack) : tcpProxyFilter(pack, name, clusters);
}

function filterChain(pack: Pack, served: ServedPort, scope: ProxyScope): FilterChain {
  const { outbound, port, addresses } = served;
  const filter_chain_match = {
    destination_port: { value: port.port },
    prefix_ranges: addresses.map(wholeAddress),
  };
  const filters = [filterOf(pack, served, scope)];
  return { name: `${serviceKey(outbound.service)}|${port.port}`, filter_chain_match, filters };
}

/** Direct connections to the listener itself: passed through, they would loop. */
const ownPortChain = (pack: Pack, { ports }: ProxyScope): FilterChain => ({
  name: 'own-port',
  filter_chain_match: { destination_port: { value: ports.outbound } },
  filters: [closingFilter(pack)],
});

/** Destinations other than callable services of the mesh. */
const passthroughChain = (pack: Pack): FilterChain => ({
  name: passthroughClusterName,
  filters: [tcpProxyFilter(pack, passthroughClusterName, [{ name: passthroughClusterName, weight: 1 }])],
});

/** Forwards to the original destination. */
const passthroughCluster: Cluster = {
  name: passthroughClusterName,
  type: 'ORIGINAL_DST',
  lb_policy: 'CLUSTER_PROVIDED',
  connect_timeout: connectTimeout,
  ...envoyClusterLimits,
};

const bySortedKey = (one: OutboundService, other: OutboundService): number =>
  serviceKey(one.service) < serviceKey(other.service) ? -1 : 1;

/**
 * Service ports by their addresses. If two services claim the same address and port, the first by name gets it: proxies
 * reject a listener with duplicate matches.
 */
function servedPorts(services: readonly OutboundService[]): ServedPort[] {
  const taken = new Set<string>();
  const claim = (address: string, port: number): boolean => {
    const key = `${address} ${port}`;
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
  return services.toSorted(bySortedKey).flatMap(outbound =>
    outbound.ports
      .toSorted((one, other) => one.port - other.port)
      .map(port => ({
        outbound,
        port,
        addresses: outbound.addresses.toSorted().filter(address => claim(address, port.port)),
      }))
      .filter(({ addresses }) => addresses.length > 0),
  );
}

/**
 * Envoy's outbound listener, and the cluster for destinations outside the mesh. A workload without callable services
 * has one too, because its connections are redirected there.
 */
export function outboundListener(
  { pack, encode }: ResourceEncoder,
  services: readonly OutboundService[],
  scope: ProxyScope,
): EncodedResource[] {
  const isPassedThrough = scope.traffic.egress === 'passthrough';
  const listener = encode('listener', outboundListenerName, {
    name: outboundListenerName,
    address: anyAddress(scope.ports.outbound),
    listener_filters: [originalDestinationFilter(pack)],
    filter_chains: [
      ...servedPorts(services).map(served => filterChain(pack, served, scope)),
      ownPortChain(pack, scope),
    ],
    ...(isPassedThrough && { default_filter_chain: passthroughChain(pack) }),
    traffic_direction: 'OUTBOUND',
  });
  return isPassedThrough ? [encode('cluster', passthroughClusterName, passthroughCluster), listener] : [listener];
}
