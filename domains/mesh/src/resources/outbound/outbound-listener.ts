import { isIPv6 } from 'node:net';
import type { OutboundService, ProxyScope } from '../../model/proxy-scope.ts';
import type { EncodedResource } from '../../model/resource.ts';
import { clusterName, outboundListenerName } from '../../model/resource-names.ts';
import { serviceKey } from '../../model/service-name.ts';
import type { ServicePort } from '../../model/topology.ts';
import type { ResourceEncoder } from '../encoding/resource-encoder.ts';
import { envoyHttpFilter, routerFilter } from '../http-connections.ts';
import { anyAddress, originalDestinationFilter } from '../listener-parts.ts';
import type { Filter, FilterChain, Pack } from '../proto/messages.ts';
import { tcpProxyFilter } from '../tcp-filter.ts';
import { connectionClusters } from './weighted-clusters.ts';

/** Where connections of the workload are redirected to. */
const outboundPort = 15001;

interface ServedPort {
  readonly outbound: OutboundService;
  readonly port: ServicePort;
  readonly addresses: readonly string[];
}

const wholeAddress = (address: string): { address_prefix: string; prefix_len: { value: number } } => ({
  address_prefix: address,
  prefix_len: { value: isIPv6(address) ? 128 : 32 },
});

/** Undefined when no cluster has a share of the connections. */
function filterOf(pack: Pack, { outbound, port }: ServedPort, scope: ProxyScope): Filter | undefined {
  const { tenant } = scope.identity;
  const name = clusterName({ tenant, service: outbound.service, port: port.port });
  if (port.protocol === 'http') return envoyHttpFilter(pack, { routes: name, filters: [routerFilter(pack)] });
  const clusters = connectionClusters(outbound, { tenant, port: port.port });
  return clusters.length === 0 ? undefined : tcpProxyFilter(pack, name, clusters);
}

function filterChain(pack: Pack, served: ServedPort, scope: ProxyScope): FilterChain[] {
  const filter = filterOf(pack, served, scope);
  if (!filter) return [];
  const { outbound, port, addresses } = served;
  const filter_chain_match = {
    destination_port: { value: port.port },
    prefix_ranges: addresses.map(wholeAddress),
  };
  return [{ name: `${serviceKey(outbound.service)}|${port.port}`, filter_chain_match, filters: [filter] }];
}

const bySortedKey = (one: OutboundService, other: OutboundService): number =>
  serviceKey(one.service) < serviceKey(other.service) ? -1 : 1;

/**
 * Ports by the addresses that lead to them. Where two services claim the same address and port, the first by name has
 * it: proxies refuse a listener in which anything is claimed twice.
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

/** Envoy's listener for everything that the workload calls. Undefined when it would lead nowhere: Envoy refuses that. */
export function outboundListener(
  { pack, encode }: ResourceEncoder,
  services: readonly OutboundService[],
  scope: ProxyScope,
): EncodedResource | undefined {
  const filter_chains = servedPorts(services).flatMap(served => filterChain(pack, served, scope));
  if (filter_chains.length === 0) return undefined;
  return encode('listener', outboundListenerName, {
    name: outboundListenerName,
    address: anyAddress(outboundPort),
    listener_filters: [originalDestinationFilter(pack)],
    filter_chains,
    traffic_direction: 'OUTBOUND',
  });
}
