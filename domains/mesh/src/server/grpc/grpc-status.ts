/** Status codes of gRPC. */
export const grpcCodes = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** Headers of every response. Messages are never compressed. */
export const responseHeaders = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
  'grpc-accept-encoding': 'identity',
} as const;

/** Trailers of every response. */
export const statusTrailers = (code: keyof typeof grpcCodes, message: string): Record<string, string> => ({
  'grpc-status': String(grpcCodes[code]),
  ...(message !== '' && { 'grpc-message': percentEncode(message) }),
});

/** Percent-encodes all bytes but printable ASCII, as `grpc-message` requires. */
const percentEncode = (text: string): string =>
  text.replace(/[^ -$&-~]+/gu, run =>
    Array.from(Buffer.from(run), byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
const maxTimerMs = 2 ** 31 - 1;

/** Parses `grpc-timeout`, bounded by the maximum of a timer. Returns undefined for an invalid value. */
export function parseTimeoutMs(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return digits === undefined ? undefined : Math.min(Math.ceil(Number(digits) * (unitMs[unit] ?? 0)), maxTimerMs);
}
