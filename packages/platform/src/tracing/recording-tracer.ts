import { randomBytes } from 'node:crypto';
import { isError } from '@chandlery/api';
import type { SpanContext } from './span-context.ts';
import { currentSpan, type Span, type SpanAttributes, type SpanKind, type SpanOptions, type Tracer } from './tracer.ts';

/** A span that has ended. */
export interface EndedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: SpanContext;
  readonly parentSpanId: string | undefined;
  readonly startedAtNs: bigint;
  readonly endedAtNs: bigint;
  readonly attributes: SpanAttributes;
  /** Undefined: the work did not fail. */
  readonly error: string | undefined;
}

export interface RecordingTracerOptions {
  /** Gets each recorded span when it has ended. Must return quickly. */
  readonly onEnd: (span: EndedSpan) => void;
  /** The share of traces begun here that are recorded, 0 to 1. Default 1. */
  readonly ratio?: number;
  /** Default `Math.random`. */
  readonly random?: () => number;
}

/** Records spans. Traces that others began are recorded as they decided. */
export class RecordingTracer implements Tracer {
  readonly #options: RecordingTracerOptions;

  constructor(options: RecordingTracerOptions) {
    this.#options = options;
  }

  startSpan(name: string, { kind = 'internal', attributes = {}, parent, needsParent = false }: SpanOptions = {}): Span {
    const above = parent === undefined ? currentSpan()?.context : (parent ?? undefined);
    if (above === undefined && needsParent) return new UnrecordedSpan(undefined);
    const { ratio = 1, random = Math.random, onEnd } = this.#options;
    const isSampled = above?.isSampled ?? random() < ratio;
    // The decision travels on: servers that are called must not begin traces of their own.
    const traceId = above?.traceId ?? hex(16);
    if (!isSampled) return new UnrecordedSpan({ traceId, spanId: above?.spanId ?? hex(8), isSampled });
    return new RecordedSpan({
      name,
      kind,
      attributes: { ...attributes },
      context: { traceId, spanId: hex(8), isSampled },
      parentSpanId: above?.spanId,
      onEnd,
    });
  }
}

interface RecordedSpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Record<string, string | number | boolean>;
  readonly context: SpanContext;
  readonly parentSpanId: string | undefined;
  readonly onEnd: (span: EndedSpan) => void;
}

class RecordedSpan implements Span {
  readonly context: SpanContext;
  hasEnded = false;
  readonly #options: RecordedSpanOptions;
  readonly #startedAtNs = nowNs();
  #error: string | undefined;

  constructor(options: RecordedSpanOptions) {
    this.#options = options;
    this.context = options.context;
  }

  setAttribute(name: string, value: string | number | boolean): void {
    this.#options.attributes[name] = value;
  }

  /** The code of an error says enough: messages may quote what users have sent. */
  recordError(error: Error): void {
    this.#error = isError(error) ? error.code : error.name;
  }

  end(): void {
    this.hasEnded = true;
    const { name, kind, context, parentSpanId, attributes, onEnd } = this.#options;
    const times = { startedAtNs: this.#startedAtNs, endedAtNs: nowNs() };
    onEnd({ name, kind, context, parentSpanId, attributes, error: this.#error, ...times });
  }
}

/** Carries the identity of a trace that is not recorded. */
class UnrecordedSpan implements Span {
  readonly context: SpanContext | undefined;
  hasEnded = false;

  constructor(context: SpanContext | undefined) {
    this.context = context;
  }

  setAttribute(): void {}
  recordError(): void {}

  end(): void {
    this.hasEnded = true;
  }
}

const nowNs = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
