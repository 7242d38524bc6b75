import { Agent, type Dispatcher, request } from 'undici';
import type { HostedEndpoint, JobResponse, JobSender } from '../../order-ports.ts';

/** Longer results are rejected; services store them as artifacts. */
export const maxResultBytes = 16 * 1024 * 1024;

const defaultRetryMs = 3000;
const maxRetryMs = 60_000;

/** Sends jobs by HTTP. A response may take as long as the signal lets it. */
export class HttpJobSender implements JobSender, AsyncDisposable {
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000 } });

  send({ endpoint, headers, content }: Parameters<JobSender['send']>[0], signal: AbortSignal): Promise<JobResponse> {
    return this.#exchange({ endpoint, path: '/', method: 'POST', headers, body: content }, signal);
  }

  poll(endpoint: HostedEndpoint, location: string, signal: AbortSignal): Promise<JobResponse> {
    const path = pathOf(endpoint, location);
    if (path === undefined)
      return Promise.resolve({ kind: 'broken', message: `it named a result elsewhere, at ${location.slice(0, 200)}` });
    return this.#exchange({ endpoint, path, method: 'GET', headers: {} }, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  async #exchange(sent: Sent, signal: AbortSignal): Promise<JobResponse> {
    const { endpoint, path, method, headers, body } = sent;
    try {
      const response = await request(`${originOf(endpoint)}${path}`, {
        dispatcher: this.#agent,
        method,
        headers: { ...headers, 'accept-encoding': 'identity' },
        ...(body && { body }),
        signal,
      });
      return await interpret(response);
    } catch (error) {
      signal.throwIfAborted();
      return isRefused(error) ? { kind: 'refused' } : { kind: 'broken', message: messageOf(error) };
    }
  }
}

interface Sent {
  readonly endpoint: HostedEndpoint;
  readonly path: string;
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

const originOf = ({ host, port }: HostedEndpoint): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

async function interpret({ statusCode: status, headers, body }: Dispatcher.ResponseData): Promise<JobResponse> {
  const content = await readBounded(body);
  const location = textOf(headers['location']);
  const reportsItself = /^true$/i.test(textOf(headers['ivcap-self-report-result']) ?? '');
  if ((status === 202 || status === 204) && (reportsItself || location !== undefined || status === 202))
    return {
      kind: 'accepted',
      location: reportsItself ? undefined : location,
      retryAfterMs: retryMs(headers['retry-later'] ?? headers['retry-after']),
    };
  return {
    kind: 'answered',
    status,
    contentType: textOf(headers['content-type']) ?? 'application/octet-stream',
    content,
  };
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxResultBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Only the process itself is asked: whatever host a location has. */
function pathOf(endpoint: HostedEndpoint, location: string): string | undefined {
  const origin = originOf(endpoint);
  if (!URL.canParse(location, origin)) return undefined;
  const url = new URL(location, origin);
  return url.origin === origin ? url.pathname + url.search : undefined;
}

const textOf = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

function retryMs(header: string | string[] | undefined): number {
  const seconds = Number(textOf(header) ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, maxRetryMs) : defaultRetryMs;
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ECONNREFUSED' || error.code === 'UND_ERR_CONNECT_TIMEOUT');

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
