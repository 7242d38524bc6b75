import type { OutboundService, ProxyScope } from '../../model/proxy-scope.ts';
import { clusterName } from '../../model/resource-names.ts';
import type { ServicePort } from '../../model/topology.ts';
import { overAds } from '../config-source.ts';
import { connectTimeout, envoyClusterLimits, httpProtocols } from '../envoy-cluster.ts';
import type { Cluster, Pack } from '../proto/messages.ts';
import { exactly } from '../security/principals.ts';
import { envoyUpstreamTls, grpcUpstreamTls } from '../security/tls-contexts.ts';

const envoyOnly = (pack: Pack, { service }: OutboundService, { protocol }: ServicePort): Cluster => ({
  common_lb_config: {
    locality_weighted_lb_config: {},
    // Never send to endpoints that are ill or leaving, however few are left; gRPC libraries do not either.
    healthy_panic_threshold: { value: 0 },
  },
  ...envoyClusterLimits,
  ...(protocol === 'http' && httpProtocols(pack)),
  transport_socket: envoyUpstreamTls(pack, { service, protocol }),
});

const grpcOnly = (pack: Pack, { principals }: OutboundService): Cluster => ({
  transport_socket: grpcUpstreamTls(pack, principals.toSorted().map(exactly)),
});

/** A port of a service that the proxy may call; its endpoints come under the same name. */
export function serviceCluster(pack: Pack, outbound: OutboundService, port: ServicePort, scope: ProxyScope): Cluster {
  const name = clusterName({ tenant: scope.identity.tenant, service: outbound.service, port: port.port });
  return {
    name,
    type: 'EDS',
    eds_cluster_config: { eds_config: overAds, service_name: name },
    connect_timeout: connectTimeout,
    lb_policy: 'ROUND_ROBIN',
    lrs_server: { self: {}, resource_api_version: 'V3' },
    ...(scope.dialect === 'envoy' ? envoyOnly(pack, outbound, port) : grpcOnly(pack, outbound)),
  };
}
