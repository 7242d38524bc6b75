import { AsyncLocalStorage } from 'node:async_hooks';
import { formatTraceparent, type SpanContext } from './span-context.ts';

/** The role of a span in a call, in OpenTelemetry's words. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** What is known of a piece of work besides its name. Never secrets, bodies or queries. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** How a span begins. */
export interface SpanOptions {
  /** Default `internal`. */
  readonly kind?: SpanKind;
  /** Default none. */
  readonly attributes?: SpanAttributes;
  /** Null: none. Default: the span in which the caller runs. */
  readonly parent?: SpanContext | null | undefined;
  /** The work is recorded only as part of a trace that exists. Default false: it may begin a trace. */
  readonly needsParent?: boolean;
}

/** A piece of work that is being recorded. */
export interface Span {
  /** Undefined for work that is not part of any trace. */
  readonly context: SpanContext | undefined;
  readonly hasEnded: boolean;
  setAttribute(name: string, value: string | number | boolean): void;
  /** Marks the work as failed. */
  recordError(error: Error): void;
  /** To be called once. A span that never ends is never exported. */
  end(): void;
}

/** Where spans come from. */
export interface Tracer {
  startSpan(name: string, options?: SpanOptions): Span;
}

const silentSpan: Span = {
  context: undefined,
  hasEnded: false,
  setAttribute: () => undefined,
  recordError: () => undefined,
  end: () => undefined,
};

/** Records nothing. */
export const silentTracer: Tracer = { startSpan: () => silentSpan };

const spans = new AsyncLocalStorage<Span | undefined>();

/** Runs an action, and everything that it awaits, as part of a span. Costs nothing where nothing is traced. */
export function withSpan<T>(span: Span, action: () => T): T {
  const isOfTrace = span.context !== undefined;
  if (!isOfTrace && spans.getStore() === undefined) return action();
  return spans.run(isOfTrace ? span : undefined, action);
}

/**
 * The span of the work that runs now; undefined when the work is part of no trace. What outlives its span, such as a
 * watch that a request has started, is part of none.
 */
export function currentSpan(): Span | undefined {
  const span = spans.getStore();
  return span?.hasEnded === true ? undefined : span;
}

/** The `traceparent` for a call that the present work makes; undefined when the work is part of no trace. */
export function currentTraceparent(): string | undefined {
  const context = currentSpan()?.context;
  return context && formatTraceparent(context);
}

/** Runs an action as a span of its own, which ends with the action. */
export async function traced<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  action: (span: Span) => T | Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, options);
  try {
    return await withSpan(span, () => action(span));
  } catch (thrown) {
    span.recordError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    throw thrown;
  } finally {
    span.end();
  }
}
