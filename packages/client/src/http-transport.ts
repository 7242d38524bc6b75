import { setTimeout as sleep } from 'node:timers/promises';
import { currentTraceparent } from '@chandlery/platform';
import type { Dispatcher } from 'undici';
import type { RawOptions } from './client.ts';
import { connectionError, kubeconfigInvalid } from './client-errors.ts';
import type { ConnectionOptions } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import { type CredentialSource, type Credentials, credentialsOf, impersonationHeaders } from './credentials.ts';
import { formatQuery } from './resource-path.ts';
import { retryAfterMs } from './retry-after.ts';
import { errorOfResponse } from './status-error.ts';

export interface TransportRequest extends RawOptions {
  readonly path: string;
}

/** An answer as undici gives it. */
export type TransportResponse = Dispatcher.ResponseData;

const defaultTimeoutMs = 30_000;
const retryLimit = 5;

/** Sends requests to one server over a pool of connections: adds credentials, honours Retry-After, throws failures. */
export class HttpTransport implements AsyncDisposable {
  /** The address, without a path. */
  readonly server: string;
  readonly #connection: ConnectionOptions;
  readonly #pool: ConnectionPool;
  readonly #credentials: CredentialSource;
  readonly #prefix: string;

  constructor(connection: ConnectionOptions) {
    const { origin, pathname } = new URL(connection.server);
    this.#connection = connection;
    this.#pool = new ConnectionPool(connection);
    this.#credentials = credentialsOf(connection);
    this.#prefix = pathname.replace(/\/+$/, '');
    this.server = origin;
  }

  /** Rejects unless the status code is 2xx or one that the request accepts. */
  async send(request: TransportRequest): Promise<TransportResponse> {
    for (let attempt = 0; ; attempt++) {
      const credentials = await this.#credentials.current();
      const response = await this.#sendOnce(request, credentials);
      if (isWelcome(response.statusCode, request.accept)) return response;
      const waitMs = await this.#retryAfterMs(response, credentials, attempt);
      if (waitMs === undefined) throw await this.#failure(response);
      await response.body.dump();
      const { signal } = request;
      await this.guard(() => sleep(waitMs, undefined, signal === undefined ? {} : { signal }), signal);
    }
  }

  /** Awaits part of an answer and says in our words what went wrong. */
  async guard<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw this.failureOf(thrown, signal);
    }
  }

  /** What to throw for something that undici threw. */
  failureOf(thrown: unknown, signal?: AbortSignal): Error {
    if (signal?.aborted) return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
    return connectionError(thrown, this.server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  /** How long to wait for another attempt; undefined when none makes sense. */
  async #retryAfterMs(response: TransportResponse, sent: Credentials, attempt: number): Promise<number | undefined> {
    switch (response.statusCode) {
      case 429:
        return attempt < retryLimit ? retryAfterMs(headerOf(response, 'retry-after'), new Date()) : undefined;
      case 401:
        return attempt === 0 && (await this.#credentials.refused(sent)) ? 0 : undefined;
      default:
        return undefined;
    }
  }

  async #sendOnce(request: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    const { path, method = 'GET', body, query = {}, signal, isFromRoot = false, isEndless = false } = request;
    const timeoutMs = request.timeoutMs ?? this.#connection.timeoutMs ?? defaultTimeoutMs;
    const pool = await this.#pool.of(credentials.clientCertificate);
    return this.guard(
      () =>
        pool.request({
          origin: this.server,
          path: `${isFromRoot ? '' : this.#prefix}${path}${formatQuery(query)}`,
          method,
          headers: this.#headers(credentials, request.headers ?? {}),
          headersTimeout: timeoutMs,
          bodyTimeout: isEndless ? 0 : timeoutMs,
          ...(body === undefined ? {} : { body }),
          ...(signal === undefined ? {} : { signal }),
        }),
      signal,
    );
  }

  #headers({ authorization }: Credentials, given: Readonly<Record<string, string>>): Record<string, string | string[]> {
    const traceparent = currentTraceparent();
    return {
      accept: 'application/json',
      'user-agent': this.#connection.userAgent ?? 'chandlery',
      ...(authorization === undefined ? {} : { authorization }),
      ...impersonationHeaders(this.#connection.impersonate),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...given,
    };
  }

  async #failure(response: TransportResponse): Promise<Error> {
    const error = errorOfResponse(response.statusCode, await this.guard(() => response.body.text()));
    respondingApis.set(error, `${this.server}${this.#prefix}`);
    return error;
  }
}

const respondingApis = new WeakMap<Error, string>();

/** The address of the API that responded with an error; undefined when none did. Follows causes. */
export function respondingApi(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return respondingApis.get(error) ?? respondingApi(error.cause);
}

const isWelcome = (status: number, accepted: readonly number[] = []): boolean =>
  (status >= 200 && status < 300) || accepted.includes(status);

/** A header's value; the first one where it came several times. */
export function headerOf({ headers }: TransportResponse, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Rejects addresses that are no web addresses before a pool is made for them. */
export function assertWebAddress(server: string): void {
  const isWeb = URL.canParse(server) && ['https:', 'http:'].includes(new URL(server).protocol);
  if (!isWeb) throw kubeconfigInvalid('', `its server is not an http or https address`);
}
