import { secretNames, workloadSecret } from '../../model/resource-names.ts';
import type { ServiceName } from '../../model/service-name.ts';
import { overAds } from '../config-source.ts';
import type { CommonTlsContext, Pack, PackedMessage, StringMatcher } from '../proto/messages.ts';
import { acceptedPeers, uriMatchers } from './principals.ts';

/** ALPN protocol of TLS between proxies of the mesh, independent of the payload. */
const meshAlpn = 'chandlery';

/**
 * ALPN protocols of a server. It reads requests in the negotiated HTTP version, and as HTTP/1.1 when the caller treats
 * the port as TCP.
 */
export const alpnProtocols = { http: [meshAlpn, 'h2', 'http/1.1'], tcp: [meshAlpn] };

/**
 * ALPN protocols of a client. For HTTP none are set: Envoy then offers the version that it will use on the connection.
 * A list would be offered for every version, and the server would choose.
 */
const offered = (protocol: keyof typeof alpnProtocols): CommonTlsContext =>
  protocol === 'http' ? {} : { alpn_protocols: alpnProtocols.tcp };

/** DNS name of a service, also used as SNI. */
export const fullHostName = ({ namespace, name }: ServiceName): string => `${name}.${namespace}.svc.cluster.local`;

export interface TransportSocket {
  readonly name: string;
  readonly typed_config: PackedMessage;
}

const tlsSocket = (typed_config: PackedMessage): TransportSocket => ({
  name: 'envoy.transport_sockets.tls',
  typed_config,
});

/** Envoy subscribes to roots by name, over the same stream. */
const secret = (name: string): { name: string; sds_config: typeof overAds } => ({ name, sds_config: overAds });

/**
 * The workload's certificate is in files, because its key is created on the machine. Envoy reloads them when they are
 * replaced.
 */
const envoyIdentity = (folder: string) =>
  ({
    // Envoy's client side is limited to 1.2 by default; gRPC libraries of some languages may need 1.2.
    tls_params: { tls_minimum_protocol_version: 'TLSv1_2', tls_maximum_protocol_version: 'TLSv1_3' },
    tls_certificate_sds_secret_configs: [
      {
        name: workloadSecret.name,
        sds_config: {
          path_config_source: { path: `${folder}/${workloadSecret.file}`, watched_directory: { path: folder } },
          resource_api_version: 'V3',
        },
      },
    ],
  }) satisfies CommonTlsContext;

/** gRPC libraries read certificates from files, under this name in their bootstrap. */
const fromBootstrap = { instance_name: 'default' };

export interface UpstreamTls {
  readonly service: ServiceName;
  readonly protocol: keyof typeof alpnProtocols;
  /** Folder of the caller's certificate. */
  readonly certificateFolder: string;
}

/** TLS of an Envoy that calls a service. The accepted principals are in the secret with the roots. */
export const envoyUpstreamTls = (pack: Pack, { service, protocol, certificateFolder }: UpstreamTls): TransportSocket =>
  tlsSocket(
    pack('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
      common_tls_context: {
        ...envoyIdentity(certificateFolder),
        validation_context_sds_secret_config: secret(secretNames.outboundRoots(service)),
        ...offered(protocol),
      },
      sni: fullHostName(service),
    }),
  );

/** TLS of a gRPC client. Libraries read the accepted principals from the older of the two fields only. */
export const grpcUpstreamTls = (pack: Pack, servers: readonly StringMatcher[]): TransportSocket =>
  tlsSocket(
    pack('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
      common_tls_context: {
        tls_certificate_provider_instance: fromBootstrap,
        validation_context: {
          ca_certificate_provider_instance: fromBootstrap,
          match_subject_alt_names: [...acceptedPeers(servers)],
        },
      },
    }),
  );

const inboundRoots = secret(secretNames.inboundRoots);

/** TLS of an Envoy that serves HTTP; access rules authorize each request. */
export const envoyHttpDownstreamTls = (pack: Pack, certificateFolder: string): TransportSocket =>
  tlsSocket(
    pack('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', {
      common_tls_context: {
        ...envoyIdentity(certificateFolder),
        validation_context_sds_secret_config: inboundRoots,
        alpn_protocols: alpnProtocols.http,
      },
      require_client_certificate: { value: true },
    }),
  );

/**
 * TLS of an Envoy that serves TCP. Access rules wait for the caller's first byte, but the workload may speak first: so
 * callers are also verified in the handshake.
 */
export const envoyTcpDownstreamTls = (
  pack: Pack,
  callers: readonly StringMatcher[],
  certificateFolder: string,
): TransportSocket =>
  tlsSocket(
    pack('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', {
      common_tls_context: {
        ...envoyIdentity(certificateFolder),
        combined_validation_context: {
          default_validation_context: { match_typed_subject_alt_names: uriMatchers(callers) },
          validation_context_sds_secret_config: inboundRoots,
        },
        alpn_protocols: alpnProtocols.tcp,
      },
      require_client_certificate: { value: true },
    }),
  );

/** TLS of a gRPC server. */
export const grpcDownstreamTls = (pack: Pack): TransportSocket =>
  tlsSocket(
    pack('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', {
      common_tls_context: {
        tls_certificate_provider_instance: fromBootstrap,
        validation_context: { ca_certificate_provider_instance: fromBootstrap },
      },
      require_client_certificate: { value: true },
    }),
  );
