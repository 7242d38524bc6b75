import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Agent } from 'undici';
import { OrdersError } from '../../errors.ts';
import type {
  ForwardedRequest,
  ForwardedResponse,
  ForwardedSocket,
  HostedEndpoint,
  ProcessGateway,
} from '../../order-ports.ts';

export interface HttpGatewayOptions {
  /** How long a process may take to begin its response. */
  readonly timeoutMs: number;
}

const connectTimeoutMs = 5000;

/** Forwards requests by HTTP and streams bodies in both directions with back-pressure. */
export class HttpGateway implements ProcessGateway, AsyncDisposable {
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor({ timeoutMs }: HttpGatewayOptions) {
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({ headersTimeout: timeoutMs, bodyTimeout: 0, connect: { timeout: connectTimeoutMs } });
  }

  async forward(endpoint: HostedEndpoint, sent: ForwardedRequest, signal: AbortSignal): Promise<ForwardedResponse> {
    const { method, target, headers, body } = sent;
    try {
      const response = await this.#agent.request({
        origin: `http://${authorityOf(endpoint)}`,
        path: target,
        method,
        headers,
        body: body === undefined ? null : Readable.from(body, { objectMode: false }),
        signal,
      });
      return { status: response.statusCode, headers: response.headers, body: response.body };
    } catch (error) {
      throw this.#gatewayError(error);
    }
  }

  upgrade(
    endpoint: HostedEndpoint,
    { method, target, headers }: ForwardedRequest,
    signal: AbortSignal,
  ): Promise<ForwardedSocket | ForwardedResponse> {
    const { host, port } = endpoint;
    const sent = { ...headers, host: authorityOf(endpoint), connection: 'Upgrade', upgrade: 'websocket' };
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest({
        host,
        port,
        method,
        path: target,
        headers: sent,
        signal,
        timeout: this.#timeoutMs,
      });
      outgoing.on('timeout', () => outgoing.destroy(timedOut(this.#timeoutMs)));
      outgoing.on('error', error => reject(this.#gatewayError(error)));
      outgoing.on('response', response => resolve({ ...headOf(response), body: response }));
      outgoing.on('upgrade', (response, socket, head) => {
        socket.setTimeout(0);
        resolve({ ...headOf(response), socket, head });
      });
      outgoing.end();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #gatewayError(error: unknown): OrdersError {
    if (error instanceof OrdersError) return error;
    const { code, name, message } = error as {
      readonly code?: string;
      readonly name?: string;
      readonly message?: string;
    };
    if (name === 'AbortError') return new OrdersError('bad-gateway', 'The client has disconnected', { cause: error });
    if (code === 'UND_ERR_HEADERS_TIMEOUT') return timedOut(this.#timeoutMs);
    return new OrdersError(
      'bad-gateway',
      `The process of the service does not answer: ${message || code || 'unknown'}`,
      {
        cause: error,
      },
    );
  }
}

const headOf = ({ statusCode = 502, headers }: IncomingMessage): Pick<ForwardedResponse, 'status' | 'headers'> => ({
  status: statusCode,
  headers,
});

const authorityOf = ({ host, port }: HostedEndpoint): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

const timedOut = (timeoutMs: number): OrdersError =>
  new OrdersError('gateway-timeout', `The process of the service has not answered within ${timeoutMs / 1000} s`);
