import { setTimeout as pause } from 'node:timers/promises';
import { ChandleryError, isError } from '@chandlery/api';
import { isLoopbackHost, type RateLimit, TokenBucket } from '@chandlery/platform';
import { request } from 'undici';
import { cloudError } from './cloud-errors.ts';
import type { CloudConnectOptions } from './cloud-options.ts';

export interface CloudRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface CloudResponse {
  readonly status: number;
  readonly text: string;
  /** What the header `retry-after` says, at most an hour. Undefined: nothing. */
  readonly retryAfterSeconds: number | undefined;
}

export type CallCloud = (request: CloudRequest, signal: AbortSignal) => Promise<CloudResponse>;

export interface CloudHttpOptions extends Pick<CloudConnectOptions, 'onRequest' | 'rateLimit'> {
  /** For messages: `AWS`. */
  readonly cloud: string;
  /** Of a response; a server that sends without end is cut off. Default: more than a page of any of the APIs. */
  readonly maxBytes?: number;
  /** Default 30 s. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 32 * 1024 * 1024;
const defaultRateLimit: RateLimit = { perSecond: 5, burst: 10 };
const maxRetryAfterSeconds = 3600;

/**
 * Makes the function that sends the requests of one account: with a rate limit, a time limit and a limit of the size of
 * responses. Redirects are not followed. Rejects with `CloudUnreachable` when there is no response, and with
 * `CloudThrottled` for 429 and 503; other responses are the caller's.
 */
export function createCloudHttp(options: CloudHttpOptions): CallCloud {
  const { cloud, onRequest, rateLimit = defaultRateLimit, maxBytes = defaultMaxBytes } = options;
  const { timeoutMs = defaultTimeoutMs } = options;
  const bucket = new TokenBucket(rateLimit, performance.now());
  return async (asked, signal) => {
    await untilAllowed(bucket, signal);
    const response = await send(asked, maxBytes, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])).catch(
      (thrown: unknown) => {
        onRequest?.(undefined);
        signal.throwIfAborted();
        if (isError(thrown, 'CloudUnreachable')) throw thrown;
        throw cloudError('CloudUnreachable', `${cloud} does not respond at ${asked.url.host}: ${describeLoss(thrown)}`);
      },
    );
    onRequest?.(response.status);
    if (response.status === 429 || response.status === 503) {
      const { retryAfterSeconds } = response;
      throw cloudError('CloudThrottled', `${cloud} rejects requests for a while (${response.status})`, {
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
    }
    return response;
  };
}

/** How a server ends a connection, which may change from one attempt to the next. */
const closed = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The same text for the same problem: it is in conditions and EndpointSets, which are not to be written again for it. */
function describeLoss(thrown: unknown): string {
  const { code = '', message } = thrown as { readonly code?: string | number; readonly message: string };
  if (typeof code !== 'string' || code === '') return message;
  if (closed.has(code)) return 'it closes the connection';
  // Codes of the library say nothing to people: its messages do.
  return code.startsWith('UND_') ? message : code;
}

async function untilAllowed(bucket: TokenBucket, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  for (let waitMs = bucket.tryTake(performance.now()); waitMs > 0; waitMs = bucket.tryTake(performance.now()))
    await pause(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}

async function send(
  { method, url, headers, body }: CloudRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<CloudResponse> {
  const response = await request(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw cloudError('CloudUnreachable', `${url.host} sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return {
    status: response.statusCode,
    text: Buffer.concat(chunks).toString(),
    retryAfterSeconds: retryAfterOf(response.headers['retry-after'], Date.now()),
  };
}

/** Seconds, or a date (RFC 9110 section 10.2.3). */
export function retryAfterOf(header: string | readonly string[] | undefined, nowMs: number): number | undefined {
  const text = [header].flat().join();
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - nowMs) / 1000);
  return seconds > 0 ? Math.min(seconds, maxRetryAfterSeconds) : undefined;
}

/** The address of an API: a test server that the operator has set, or that of the cloud. */
export function apiUrl(testEndpoint: string | undefined, host: string, path = '/'): URL {
  return testEndpoint === undefined ? new URL(`https://${host}${path}`) : new URL(path, testEndpoint);
}

/** Checks an address that replaces those of a cloud. Throws `InvalidOption` unless it is https, or http on loopback. */
export function checkTestEndpoint(url: unknown, setting: string): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  const isFine =
    parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLoopbackHost(parsed.hostname) === true);
  if (parsed !== undefined && isFine && parsed.username === '') return parsed.href;
  throw new ChandleryError('InvalidOption', `the setting "${setting}" is not an address of a test server`, {
    hint: 'Write https://host:port, or http://127.0.0.1:port.',
  });
}
