/** What identifies a span to others, as the W3C header `traceparent` carries it. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the trace is recorded. Those who take part in it follow this decision. */
  readonly isSampled: boolean;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const allZero = /^0+$/;
const sampledFlag = 1;

/** Reads a `traceparent`; undefined for none and for one that W3C Trace Context does not allow. */
export function parseTraceparent(text: string | readonly string[] | undefined): SpanContext | undefined {
  if (typeof text !== 'string') return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = pattern.exec(text) ?? [];
  if (version === '' || version === 'ff' || allZero.test(traceId) || allZero.test(spanId)) return undefined;
  // The first version ends with the flags; later ones may continue.
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag };
}

/** The `traceparent` of a span. */
export const formatTraceparent = ({ traceId, spanId, isSampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
