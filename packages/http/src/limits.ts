import type { IncomingMessage } from 'node:http';
import { ChandleryError } from '@chandlery/api';

/** What the listener puts up with. */
export interface HttpLimits {
  /** Default 3 MiB, as Kubernetes. */
  readonly bodyBytes: number;
  /** Request line and headers together. Default 32 KiB. */
  readonly headerBytes: number;
  /** Default 500: a user may be impersonated with many groups. */
  readonly headerCount: number;
  /** Default 16 KiB. */
  readonly urlBytes: number;
  /** For the headers to arrive. Default 20 s. */
  readonly headersTimeoutMs: number;
  /** For the whole request to arrive; the answer may take any time. Default 120 s. */
  readonly requestTimeoutMs: number;
  /** How often the two above are enforced. Default 5 s. */
  readonly timeoutCheckMs: number;
  /** Idle connections. Default 75 s, longer than load balancers keep theirs. */
  readonly keepAliveMs: number;
  /** Default 50 000. */
  readonly connections: number;
  /** A connection whose client takes nothing of what waits for it for this long is cut. Default 60 s. */
  readonly sendStallMs: number;
  /** Bytes of request bodies that one identity may have in memory. Default 64 MiB. */
  readonly bodyBytesPerIdentity: number;
  /** Bytes of request bodies that may be in memory in all. Default 256 MiB. */
  readonly bodyBytesInAll: number;
  /** Bytes of responses that may wait for the clients of one identity. Default 64 MiB. */
  readonly unreadBytesPerIdentity: number;
  /** Bytes of responses that may wait for all clients together. Default 256 MiB. */
  readonly unreadBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: HttpLimits = {
  bodyBytes: 3 * mebibyte,
  headerBytes: 32 * 1024,
  headerCount: 500,
  urlBytes: 16 * 1024,
  headersTimeoutMs: 20_000,
  requestTimeoutMs: 120_000,
  timeoutCheckMs: 5_000,
  keepAliveMs: 75_000,
  connections: 50_000,
  sendStallMs: 60_000,
  bodyBytesPerIdentity: 64 * mebibyte,
  bodyBytesInAll: 256 * mebibyte,
  unreadBytesPerIdentity: 64 * mebibyte,
  unreadBytes: 256 * mebibyte,
};

/** What a request has too much of, if anything. */
export function findExcess(
  request: Pick<IncomingMessage, 'url' | 'rawHeaders'>,
  { urlBytes, headerCount }: HttpLimits,
): ChandleryError | undefined {
  if ((request.url?.length ?? 0) > urlBytes)
    return new ChandleryError('UriTooLong', `the URL is longer than ${urlBytes} bytes`);
  if (request.rawHeaders.length / 2 <= headerCount) return undefined;
  return new ChandleryError('RequestHeaderFieldsTooLarge', `the request has more than ${headerCount} headers`);
}
