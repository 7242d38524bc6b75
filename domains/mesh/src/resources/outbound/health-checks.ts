import type { ServicePort } from '../../model/mesh-service.ts';
import type { OutboundService } from '../../model/proxy-scope.ts';
import type { Cluster } from '../proto/messages.ts';
import { fullHostName } from '../security/tls-contexts.ts';

type HealthCheck = NonNullable<Cluster['health_checks']>[number];

/**
 * Envoy sends no traffic to an endpoint before its first successful check, and the first check of a starting Envoy
 * fails, because it has no certificate yet. So failing endpoints without traffic are checked again soon.
 */
const timing = {
  timeout: { seconds: 2 },
  interval: { seconds: 5 },
  no_traffic_interval: { seconds: 2 },
  no_traffic_healthy_interval: { seconds: 15 },
  unhealthy_threshold: { value: 2 },
  healthy_threshold: { value: 1 },
} satisfies HealthCheck;

/** Health checks have no downstream HTTP version to negotiate: without ALPN they would match no filter chain. */
const offering = (...alpn_protocols: string[]): HealthCheck => ({ tls_options: { alpn_protocols } });

function healthCheck({ service, healthCheck: wanted }: OutboundService, { protocol }: ServicePort): HealthCheck {
  if (protocol === 'tcp') return { tcp_health_check: {} };
  if (typeof wanted !== 'object') return { ...offering('h2', 'http/1.1'), tcp_health_check: {} };
  return { ...offering('http/1.1'), http_health_check: { path: wanted.path, host: fullHostName(service) } };
}

/**
 * Active health checks of a port, if the service wants them: over TLS, so that the workload's proxy responds. Paths are
 * requested on HTTP ports only, and must be allowed to the caller like any request.
 */
export const healthChecks = (outbound: OutboundService, port: ServicePort): Cluster =>
  outbound.healthCheck === undefined
    ? {}
    : {
        health_checks: [{ ...timing, ...healthCheck(outbound, port) }],
        // Removed endpoints are not kept until a check fails.
        ignore_health_on_host_removal: true,
      };
