import { secretNames, workloadSecret } from '../../model/resource-names.ts';
import type { ServiceName } from '../../model/service-name.ts';
import { overAds } from '../config-source.ts';
import type { CommonTlsContext, Pack, PackedMessage, StringMatcher } from '../proto/messages.ts';
import { acceptedPeers, uriMatchers } from './principals.ts';

/** Marks TLS between proxies of the mesh, whatever is spoken inside. */
const meshAlpn = 'chandlery';

/**
 * What a server takes. It reads requests by the version of HTTP that was agreed on, and as HTTP/1.1 when that says
 * nothing of a version: then the caller takes the port for one of connections.
 */
export const alpnProtocols = { http: [meshAlpn, 'h2', 'http/1.1'], tcp: [meshAlpn] };

/**
 * What a client offers. For HTTP nothing is said: Envoy then offers the version that it will speak on the connection.
 * A list would be offered for every version, and the server would read by its own choice.
 */
const offered = (protocol: keyof typeof alpnProtocols): CommonTlsContext =>
  protocol === 'http' ? {} : { alpn_protocols: alpnProtocols.tcp };

/** The name of a service in DNS, by which it is called inside TLS too. */
export const fullHostName = ({ namespace, name }: ServiceName): string => `${name}.${namespace}.svc.cluster.local`;

export interface TransportSocket {
  readonly name: string;
  readonly typed_config: PackedMessage;
}

const tlsSocket = (typed_config: PackedMessage): TransportSocket => ({
  name: 'envoy.transport_sockets.tls',
  typed_config,
});

/** Envoy asks for roots by name, over the same stream. */
const secret = (name: string): { name: string; sds_config: typeof overAds } => ({ name, sds_config: overAds });

/** The workload's certificate is in files, as its key is made beside it. Envoy reads them again when they are replaced. */
const envoyIdentity = (folder: string) =>
  ({
    // Envoy's client side goes no further than 1.2 unless it is told; gRPC libraries of some languages may need 1.2.
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

/** gRPC libraries have their certificates from files, under this name in their bootstrap. */
const fromBootstrap = { instance_name: 'default' };

export interface UpstreamTls {
  readonly service: ServiceName;
  readonly protocol: keyof typeof alpnProtocols;
  /** Where the caller's certificate is. */
  readonly certificateFolder: string;
}

/** Envoy calls a service. Who may answer is in the secret with the roots. */
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

/** gRPC calls a service. Its libraries read who may answer only from the older of the two fields. */
export const grpcUpstreamTls = (pack: Pack, answering: readonly StringMatcher[]): TransportSocket =>
  tlsSocket(
    pack('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
      common_tls_context: {
        tls_certificate_provider_instance: fromBootstrap,
        validation_context: {
          ca_certificate_provider_instance: fromBootstrap,
          match_subject_alt_names: [...acceptedPeers(answering)],
        },
      },
    }),
  );

const inboundRoots = secret(secretNames.inboundRoots);

/** Envoy is called for requests; access rules see each before anything is answered. */
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
 * Envoy is called for connections. Access rules there wait for the caller's first byte, while the workload may speak
 * first: so callers are checked in the handshake too.
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

/** A gRPC server is called. */
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
