import type { Cluster, Pack } from './proto/messages.ts';

export const connectTimeout = { seconds: 2 } as const;

const unlimited = { value: 0xffffffff };
const noThreshold = {
  max_connections: unlimited,
  max_pending_requests: unlimited,
  max_requests: unlimited,
  max_retries: unlimited,
};

/** Disables Envoy's default circuit breakers: the mesh leaves limits to the services. */
export const envoyClusterLimits = {
  circuit_breakers: {
    thresholds: [
      { priority: 'DEFAULT', ...noThreshold },
      { priority: 'HIGH', ...noThreshold },
    ],
  },
} satisfies Cluster;

/** Detects lost peers of idle connections. */
const connectionKeepalive = { interval: { seconds: 30 }, timeout: { seconds: 10 } } as const;

/** Uses the HTTP version of the downstream connection. */
export const httpProtocols = (pack: Pack): Cluster => ({
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': pack(
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      {
        use_downstream_protocol_config: {
          http_protocol_options: {},
          http2_protocol_options: { connection_keepalive: connectionKeepalive },
        },
      },
    ),
  },
});

const never = { value: 0 };
const always = { value: 100 };
const failuresInARow = { value: 5 };

/**
 * Ejects an endpoint temporarily when connections to it fail, or its proxy often reports gateway errors (502, 503,
 * 504). Other errors belong to the service. A third of the endpoints always stay: a service that fails everywhere
 * remains reachable, and a single endpoint is never ejected.
 */
export const envoyOutlierDetection = {
  outlier_detection: {
    split_external_local_origin_errors: true,
    consecutive_local_origin_failure: failuresInARow,
    enforcing_consecutive_local_origin_failure: always,
    consecutive_gateway_failure: failuresInARow,
    enforcing_consecutive_gateway_failure: always,
    enforcing_consecutive_5xx: never,
    enforcing_success_rate: never,
    enforcing_local_origin_success_rate: never,
    interval: { seconds: 5 },
    base_ejection_time: { seconds: 5 },
    max_ejection_time: { seconds: 120 },
    max_ejection_percent: { value: 67 },
    always_eject_one_host: { value: false },
  },
} satisfies Cluster;
