import { getCACertificates } from 'node:tls';
import { ChandleryError } from '@chandlery/api';
import { Agent, request } from 'undici';

/** Where calls go. */
export interface HttpCallerOptions {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Trusted besides what the system trusts, PEM. */
  readonly caPem?: string | undefined;
  /** Accepts any certificate. Default false. */
  readonly isInsecure?: boolean;
  /** How long a call may take. Default 60,000. */
  readonly timeoutMs?: number;
}

export interface HttpCall {
  /** Default GET. */
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Begins with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

/** Calls one server. Any status is an answer; rejects with `ConnectionFailed` or `Timeout`. */
export class HttpCaller implements AsyncDisposable {
  readonly #options: HttpCallerOptions;
  readonly #agent: Agent;

  constructor(options: HttpCallerOptions) {
    this.#options = options;
    const { caPem, isInsecure = false } = options;
    const ca = caPem === undefined ? {} : { ca: [...getCACertificates('default'), caPem] };
    this.#agent = new Agent({ connect: { ...ca, rejectUnauthorized: !isInsecure }, maxResponseSize: 32 * 2 ** 20 });
  }

  async call(call: HttpCall): Promise<HttpResponse> {
    const { timeoutMs = 60_000 } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
    try {
      const { statusCode, headers, body } = await request(this.#urlOf(call), {
        method: call.method ?? 'GET',
        dispatcher: this.#agent,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
        ...payloadOf(call),
      });
      return { status: statusCode, headers: plainHeaders(headers), json: parseJson(await body.text()) };
    } catch (cause) {
      throw this.#failure(call, cause, timeout.aborted);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #urlOf({ path, query = {} }: HttpCall): string {
    const url = new URL(this.#options.baseUrl + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    return url.href;
  }

  #failure(call: HttpCall, cause: unknown, isTimeout: boolean): ChandleryError {
    const what = `${call.method ?? 'GET'} ${this.#options.baseUrl}${call.path}`;
    if (isTimeout) return new ChandleryError('Timeout', `${what} took too long`, { cause });
    const why = cause instanceof Error ? cause.message : String(cause);
    return new ChandleryError('ConnectionFailed', `${what} failed: ${why}`, { cause });
  }
}

/** What stands in `Authorization` for a user and a password. */
export const basicAuthorization = ({ username, password }: { username: string; password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

function payloadOf({ headers = {}, json, form }: HttpCall) {
  if (json !== undefined)
    return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) };
  if (form !== undefined)
    return {
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    };
  return { headers: { ...headers } };
}

const plainHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? (value[0] ?? '') : (value ?? '')]),
  );

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
