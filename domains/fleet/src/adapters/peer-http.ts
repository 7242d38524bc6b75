import { Agent, request } from 'undici';
import { peerRejected, peerUnavailable } from '../port-errors.ts';

/** How a system outside is called. */
export interface PeerHttpOptions {
  /** For messages: `Keycloak`. */
  readonly peer: string;
  /** For the whole of one exchange. Default 15 000. */
  readonly timeoutMs?: number;
  /** Responses that are longer are an error. Default 16 MiB. */
  readonly maxBytes?: number;
  /** Trusted certificate authorities in PEM. Default: those of Node. */
  readonly caPem?: string;
}

/** One call. */
export interface PeerRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What was answered. */
export interface PeerResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const defaultTimeoutMs = 15_000;
const defaultMaxBytes = 16 * 1024 * 1024;
const maxConnections = 8;
/** Statuses of the client's side that a retry may mend. */
const transientStatuses: readonly number[] = [408, 409, 425, 429];

/** Calls one system outside over HTTP: bounded in time, size and connections; follows no redirects. */
export class PeerHttp implements AsyncDisposable {
  readonly #options: PeerHttpOptions;
  readonly #agent: Agent;

  constructor(options: PeerHttpOptions) {
    this.#options = options;
    const { caPem, timeoutMs = defaultTimeoutMs } = options;
    this.#agent = new Agent({
      connections: maxConnections,
      allowH2: false,
      connect: { timeout: timeoutMs, ...(caPem === undefined ? {} : { ca: caPem }) },
    });
  }

  /** Returns the response, whatever its status. Rejects with `PeerUnavailable` when there is none in time. */
  async send({ url, method = 'GET', headers = {}, body }: PeerRequest): Promise<PeerResponse> {
    const { peer, timeoutMs = defaultTimeoutMs } = this.#options;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(url, {
        dispatcher: this.#agent,
        method,
        // ACME servers reject clients that do not say who they are (RFC 8555, 6.1).
        headers: { 'user-agent': 'chandlery', ...headers },
        signal,
        ...(body === undefined ? {} : { body }),
      });
      return { status: response.statusCode, headers: response.headers, text: await this.#read(response.body) };
    } catch (cause) {
      const why = signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(cause);
      throw peerUnavailable(`${peer} cannot be reached at ${url.host}: ${why}`, cause);
    }
  }

  async #read(body: AsyncIterable<Buffer>): Promise<string> {
    const { maxBytes = defaultMaxBytes } = this.#options;
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxBytes) throw new Error(`it answered more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  /**
   * The error for a response that is not what was wanted: terminal for requests that no retry can mend. `doing` completes
   * "cannot …"; `detail` is the peer's own explanation.
   */
  failure({ status }: PeerResponse, doing: string, detail = ''): Error {
    const message = `cannot ${doing}: ${this.#options.peer} answered ${status}${detail === '' ? '' : ` (${detail})`}`;
    const isTerminal = status >= 400 && status < 500 && !transientStatuses.includes(status);
    return isTerminal
      ? peerRejected(message, `Check the settings for ${this.#options.peer}.`)
      : peerUnavailable(message);
  }

  /** Reads a JSON object; a body that is none means that something else answered. */
  parse(response: PeerResponse, doing: string): Readonly<Record<string, unknown>> {
    const value = parseJsonObject(response.text);
    if (value === undefined) throw peerUnavailable(`cannot ${doing}: ${this.#options.peer} answered no JSON object`);
    return value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Returns a JSON object, undefined for anything else. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a URL below a base whose own path stays. */
export function below(base: URL, path: string, parameters: readonly (readonly [string, string])[] = []): URL {
  const url = new URL(`${base.pathname.replace(/\/+$/, '')}/${path}`, base);
  for (const [name, value] of parameters) url.searchParams.append(name, value);
  return url;
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' ? ((cause as NodeJS.ErrnoException).code ?? cause.name) : cause.message;
}
