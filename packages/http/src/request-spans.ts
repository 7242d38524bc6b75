import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseTraceparent, type Span, silentTracer, type Tracer } from '@chandlery/platform';

/** Requests whose spans would say nothing. */
const untraced: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz', '/metrics', '/version']);

interface TracedExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly routeClass: string;
  /** Asked at the end: a watch is no piece of work, its span would be as long as the client stays. */
  readonly isStream: () => boolean;
}

/**
 * Begins the span of a request, which continues the trace of its client and ends with the response. Undefined for requests
 * that are not traced.
 */
export function startRequestSpan(
  tracer: Tracer,
  { request, response, routeClass, isStream }: TracedExchange,
): Span | undefined {
  const path = (request.url ?? '').split('?', 1)[0] as string;
  if (tracer === silentTracer || untraced.has(path)) return undefined;
  const { method = '', headers } = request;
  const span = tracer.startSpan(`${method} ${routeClass}`, {
    kind: 'server',
    parent: parseTraceparent(headers['traceparent']) ?? null,
    attributes: {
      'http.request.method': method,
      'http.route': routeClass,
      'url.path': path,
      'user_agent.original': headers['user-agent'] ?? '',
    },
  });
  response.once('close', () => {
    if (isStream()) return;
    const { statusCode } = response;
    span.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) span.recordError(new ResponseError(String(statusCode)));
    span.end();
  });
  return span;
}

class ResponseError extends Error {
  override readonly name = 'ServerError';
}
