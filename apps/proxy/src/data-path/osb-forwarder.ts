import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { getCACertificates } from 'node:tls';
import { Agent, request as send } from 'undici';
import { basicAuthorization } from '../http/http-caller.ts';
import type { BasicCredentials } from '../ports.ts';

export interface OsbForwarderOptions {
  /** `https://sm.example`, without a slash at the end. */
  readonly serviceManagerUrl: string;
  readonly caPem?: string | undefined;
  readonly timeoutMs: number;
  /** Without credentials of their own, brokers are called with these; only who shows them is let through. */
  readonly common: BasicCredentials | undefined;
  /** Called with the status of each response and how long it took. Default: calls are not measured. */
  readonly onForwarded?: (status: number, seconds: number) => void;
}

/** Headers that belong to one connection. */
const ofConnection = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/**
 * Passes calls of the platform on to the service manager, answers and all.
 *
 * What the platform shows is what it was given for the broker, so that the service manager knows it: nothing is unlocked
 * here by a call that it would not let in itself.
 */
export class OsbForwarder implements AsyncDisposable {
  readonly #options: OsbForwarderOptions;
  readonly #agent: Agent;

  constructor(options: OsbForwarderOptions) {
    const { caPem } = options;
    this.#options = options;
    this.#agent = new Agent({ connect: caPem === undefined ? {} : { ca: [...getCACertificates('default'), caPem] } });
  }

  /** Answers a request whose path is below {@link osbPath}. */
  async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startMs = performance.now();
    await this.#forward(request, response);
    this.#options.onForwarded?.(response.statusCode, (performance.now() - startMs) / 1000);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { serviceManagerUrl, timeoutMs } = this.#options;
    const { method = 'GET', url = '' } = request;
    if (!this.#isAuthorized(request)) return reject(response, 401, 'not authenticated');
    try {
      const answer = await send(serviceManagerUrl + url, {
        dispatcher: this.#agent,
        method: method as 'GET',
        headers: passedOn(request.headers),
        ...(hasBody(request) ? { body: request } : {}),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      response.writeHead(answer.statusCode, passedOn(answer.headers));
      await pipeline(answer.body, response);
    } catch {
      if (response.headersSent) response.destroy();
      else reject(response, 502, 'the service manager cannot be reached');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #isAuthorized({ headers }: IncomingMessage): boolean {
    const { common } = this.#options;
    if (common === undefined) return true;
    const [shown, expected] = [headers.authorization ?? '', basicAuthorization(common)].map(text => Buffer.from(text));
    return (
      shown !== undefined &&
      expected !== undefined &&
      shown.length === expected.length &&
      timingSafeEqual(shown, expected)
    );
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const passedOn = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !ofConnection.has(entry[0]),
    ),
  );

function reject(response: ServerResponse, status: number, description: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 ? { 'www-authenticate': 'Basic realm="broker proxy"' } : {}),
  });
  response.end(JSON.stringify({ description }));
}
