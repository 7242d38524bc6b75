import { isIP } from 'node:net';
import type { HostPort } from '../addresses.ts';
import { type BootstrapOptions, nodeOf } from './bootstrap-options.ts';
import { envoyTypes, sdsFiles, sdsNames } from './envoy-files.ts';

const xdsCluster = 'chandlery-xds';
const controlPlaneServices = (): object[] => [{ envoy_grpc: { cluster_name: xdsCluster } }];
const overAds = (): object => ({ resource_api_version: 'V3', ads: {} });

export interface EnvoyOptions {
  /** Address for proxies. */
  readonly xds: HostPort;
  /** Whether it uses the incremental protocol. */
  readonly isDelta: boolean;
  readonly ports: EnvoyPorts;
}

/** Ports of an Envoy. Missing ones have the default of the control plane. */
export interface EnvoyPorts {
  /** Port of its administration, on 127.0.0.1. */
  readonly admin: number;
  readonly outbound?: number;
  readonly inbound?: number;
  /** Ports of the workload that are open without TLS. */
  readonly plaintext?: readonly number[];
}

/** The bootstrap of an Envoy. Certificates and roots are in files that it watches, see `sdsFiles`. */
export function envoyBootstrap(options: BootstrapOptions, { xds, isDelta, ports }: EnvoyOptions): object {
  return {
    node: envoyNode(options, ports),
    // The cluster of the control plane must be first: everything else is found through it.
    static_resources: { clusters: [controlPlane(xds, options.folder)] },
    dynamic_resources: {
      ads_config: {
        api_type: isDelta ? 'DELTA_GRPC' : 'GRPC',
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: controlPlaneServices(),
      },
      cds_config: overAds(),
      lds_config: overAds(),
    },
    // Envoy reports its load only if it is configured here: the setting of clusters is for gRPC libraries.
    cluster_manager: {
      load_stats_config: { api_type: 'GRPC', transport_api_version: 'V3', grpc_services: controlPlaneServices() },
    },
    admin: { address: socketAddress({ host: '127.0.0.1', port: ports.admin }) },
  };
}

function envoyNode(options: BootstrapOptions, { admin: _, ...listening }: EnvoyPorts): object {
  const node = nodeOf(options, 'envoy');
  const metadata = {
    ...node.metadata,
    'mesh.chandlery.io/certificate-folder': options.folder,
    ...(Object.keys(listening).length > 0 && { 'mesh.chandlery.io/ports': listening }),
  };
  return { ...node, metadata };
}

const socketAddress = ({ host, port }: HostPort) => ({ socket_address: { address: host, port_value: port } });

const controlPlane = (xds: HostPort, folder: string): object => ({
  name: xdsCluster,
  type: 'STRICT_DNS',
  connect_timeout: '5s',
  load_assignment: {
    cluster_name: xdsCluster,
    endpoints: [{ lb_endpoints: [{ endpoint: { address: socketAddress(xds) } }] }],
  },
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': envoyTypes.httpOptions,
      explicit_http_config: {
        http2_protocol_options: { connection_keepalive: { interval: '30s', timeout: '5s' } },
      },
    },
  },
  transport_socket: {
    name: 'envoy.transport_sockets.tls',
    typed_config: { '@type': envoyTypes.upstreamTls, ...tlsContext(xds.host, folder) },
  },
});

/** Mutual TLS with the control plane, whose certificate must have the dialled name. */
function tlsContext(host: string, folder: string): object {
  const isAddress = isIP(host) !== 0;
  const files = sdsFiles(folder);
  const fromFile = (part: 'certificate' | 'roots') => ({
    name: sdsNames[part],
    sds_config: {
      resource_api_version: 'V3',
      path_config_source: { path: files[part].path, watched_directory: { path: folder } },
    },
  });
  return {
    ...(!isAddress && { sni: host }),
    common_tls_context: {
      alpn_protocols: ['h2'],
      tls_params: { tls_minimum_protocol_version: 'TLSv1_2', tls_maximum_protocol_version: 'TLSv1_3' },
      tls_certificate_sds_secret_configs: [fromFile('certificate')],
      combined_validation_context: {
        default_validation_context: {
          match_typed_subject_alt_names: [{ san_type: isAddress ? 'IP_ADDRESS' : 'DNS', matcher: { exact: host } }],
        },
        validation_context_sds_secret_config: fromFile('roots'),
      },
    },
  };
}
