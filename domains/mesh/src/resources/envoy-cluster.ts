import type { Cluster, Pack } from './proto/messages.ts';

export const connectTimeout = { seconds: 5 } as const;

const unlimited = { value: 0xffffffff };
const noThreshold = {
  max_connections: unlimited,
  max_pending_requests: unlimited,
  max_requests: unlimited,
  max_retries: unlimited,
};

/** Envoy limits clusters unless told not to: the mesh leaves that to the services. */
export const envoyClusterLimits = {
  circuit_breakers: {
    thresholds: [
      { priority: 'DEFAULT', ...noThreshold },
      { priority: 'HIGH', ...noThreshold },
    ],
  },
} satisfies Cluster;

/** Speak to the cluster whichever HTTP the caller spoke. */
export const httpProtocols = (pack: Pack): Cluster => ({
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': pack(
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      { use_downstream_protocol_config: { http_protocol_options: {}, http2_protocol_options: {} } },
    ),
  },
});
