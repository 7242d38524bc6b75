import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { StreamEnd } from './event-stream.ts';

/** A request that has been answered. */
export interface CompletedRequest {
  readonly method: string;
  /** Few different values: the route's pattern, or what the host's `routeClass` says. */
  readonly routeClass: string;
  readonly code: number;
  readonly seconds: number;
  /** The answer was a long-lived stream, so the time says how long the client stayed. */
  readonly isStream: boolean;
}

/** Where numbers about requests go. */
export interface HttpMetrics {
  requestCompleted(request: CompletedRequest): void;
  /** A watch or another stream has ended. */
  streamEnded(end: StreamEnd): void;
  /** The text of `/metrics` in the Prometheus format. */
  render(): string | Promise<string>;
}

export interface MetricsRouteOptions {
  readonly metrics: HttpMetrics;
  /** Rejects with Unauthorized or Forbidden unless the caller runs the landscape. */
  readonly authorizeOperator: (request: FastifyRequest) => Promise<void>;
}

/** Serves `/metrics` to the operator. */
export function addMetricsRoute(app: FastifyInstance, { metrics, authorizeOperator }: MetricsRouteOptions): void {
  app.get('/metrics', async (request, reply) => {
    await authorizeOperator(request);
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.render());
  });
}
