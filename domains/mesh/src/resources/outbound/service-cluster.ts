import type { ServicePort } from '../../model/mesh-service.ts';
import type { OutboundService, ProxyScope } from '../../model/proxy-scope.ts';
import type { EncodedResource } from '../../model/resource.ts';
import { clusterName, nowhereClusterName } from '../../model/resource-names.ts';
import { overAds } from '../config-source.ts';
import type { ResourceEncoder } from '../encoding/resource-encoder.ts';
import { connectTimeout, envoyClusterLimits, envoyOutlierDetection, httpProtocols } from '../envoy-cluster.ts';
import type { Cluster, Pack } from '../proto/messages.ts';
import { exactly } from '../security/principals.ts';
import { envoyUpstreamTls, grpcUpstreamTls } from '../security/tls-contexts.ts';
import { healthChecks } from './health-checks.ts';

/** In seconds. */
const tcpKeepalive = {
  keepalive_time: { value: 20 },
  keepalive_interval: { value: 5 },
  keepalive_probes: { value: 3 },
};

const envoyOnly = (
  pack: Pack,
  outbound: OutboundService,
  { certificateFolder, ...port }: ServicePort & Pick<ProxyScope, 'certificateFolder'>,
): Cluster => ({
  common_lb_config: {
    locality_weighted_lb_config: {},
    // Never send to unhealthy or draining endpoints, however few are left; gRPC libraries do not either.
    healthy_panic_threshold: { value: 0 },
  },
  ...envoyClusterLimits,
  ...envoyOutlierDetection,
  ...healthChecks(outbound, port),
  // A machine that fails sends nothing: without this, connections to it stay open for hours.
  upstream_connection_options: { tcp_keepalive: tcpKeepalive },
  ...(port.protocol === 'http' && httpProtocols(pack)),
  ...(!outbound.isUnproxied && {
    transport_socket: envoyUpstreamTls(pack, { service: outbound.service, protocol: port.protocol, certificateFolder }),
  }),
});

/** Without a transport socket, a library uses the credentials that the client has chosen for such servers. */
const grpcOnly = (pack: Pack, { principals, isUnproxied = false }: OutboundService): Cluster =>
  isUnproxied ? {} : { transport_socket: grpcUpstreamTls(pack, principals.toSorted().map(exactly)) };

/** The cluster of a service port that the proxy may call; its endpoints have the same name. */
export function serviceCluster(pack: Pack, outbound: OutboundService, port: ServicePort, scope: ProxyScope): Cluster {
  const name = clusterName({ tenant: scope.identity.tenant, service: outbound.service, port: port.port });
  return {
    name,
    type: 'EDS',
    eds_cluster_config: { eds_config: overAds, service_name: name },
    connect_timeout: connectTimeout,
    lb_policy: 'ROUND_ROBIN',
    lrs_server: { self: {}, resource_api_version: 'V3' },
    ...(scope.dialect === 'envoy'
      ? envoyOnly(pack, outbound, { ...port, certificateFolder: scope.certificateFolder })
      : grpcOnly(pack, outbound)),
  };
}

/** A cluster without endpoints, for gRPC calls that must fail. */
export function nowhereCluster({ encode }: ResourceEncoder, { identity }: ProxyScope): EncodedResource {
  const name = nowhereClusterName(identity.tenant);
  return encode('cluster', name, {
    name,
    type: 'EDS',
    eds_cluster_config: { eds_config: overAds, service_name: name },
    lb_policy: 'ROUND_ROBIN',
  });
}
