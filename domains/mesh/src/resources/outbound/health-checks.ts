import type { ServicePort } from '../../model/mesh-service.ts';
import type { OutboundService } from '../../model/proxy-scope.ts';
import type { Cluster } from '../proto/messages.ts';
import { fullHostName } from '../security/tls-contexts.ts';

type HealthCheck = NonNullable<Cluster['health_checks']>[number];

/**
 * Until a first check has succeeded nothing is sent to an endpoint, and the very first one fails in an Envoy that has
 * just started: it has no certificate yet. So endpoints that nobody has called are tried again soon while they fail.
 */
const timing = {
  timeout: { seconds: 2 },
  interval: { seconds: 5 },
  no_traffic_interval: { seconds: 2 },
  no_traffic_healthy_interval: { seconds: 15 },
  unhealthy_threshold: { value: 2 },
  healthy_threshold: { value: 1 },
} satisfies HealthCheck;

/** Checks are no calls, for which Envoy would offer the version of HTTP that it speaks: without a word they match no port. */
const offering = (...alpn_protocols: string[]): HealthCheck => ({ tls_options: { alpn_protocols } });

function healthCheck({ service, healthCheck: wanted }: OutboundService, { protocol }: ServicePort): HealthCheck {
  if (protocol === 'tcp') return { tcp_health_check: {} };
  if (typeof wanted !== 'object') return { ...offering('h2', 'http/1.1'), tcp_health_check: {} };
  return { ...offering('http/1.1'), http_health_check: { path: wanted.path, host: fullHostName(service) } };
}

/**
 * How Envoy tries the endpoints of a port, where the service wants it: through TLS, so that it is the workload's proxy that
 * answers. A path is asked for on ports that speak HTTP, and must be allowed to the caller like any request.
 */
export const healthChecks = (outbound: OutboundService, port: ServicePort): Cluster =>
  outbound.healthCheck === undefined
    ? {}
    : {
        health_checks: [{ ...timing, ...healthCheck(outbound, port) }],
        // Endpoints that are gone are not kept until a check fails.
        ignore_health_on_host_removal: true,
      };
