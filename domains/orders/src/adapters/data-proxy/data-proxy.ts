import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toError } from '@chandlery/api';
import { OrdersError, ordersErrorCodes } from '../../errors.ts';
import type {
  BoundOrder,
  BoundService,
  DataProxyBinding,
  DataProxyProvisioner,
  ServiceProxyProvisioner,
} from '../../order-ports.ts';
import { proxyBinding, serviceBinding } from './proxy-binding.ts';
import { type ProxyCall, type ProxyDeps, type ProxyResponse, sendResponse } from './proxy-call.ts';
import { ProxyTokens, readProxyState, writeProxyState } from './proxy-tokens.ts';
import { routeCall } from './route-call.ts';
import { holderOf } from './token-holder.ts';

const loopback = '127.0.0.1';

/**
 * The data proxy of this machine's nodes: one listener on loopback for all orders. A container says by the token in its URLs
 * which order it works for, and may do what the tenant of the order may; the token is good until the order ends. That of a
 * process that runs all the time stands for its service, as long as this exists.
 */
export class DataProxy implements DataProxyProvisioner, ServiceProxyProvisioner, AsyncDisposable {
  readonly #server: Server;
  readonly #tokens: ProxyTokens;
  #deps: ProxyDeps | undefined;

  private constructor(tokens: ProxyTokens) {
    this.#tokens = tokens;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Listens on the port of the last start, if it is free: containers that still run find it again. */
  static async open(folder: string): Promise<DataProxy> {
    const { key, port } = await readProxyState(folder);
    const proxy = new DataProxy(new ProxyTokens(Buffer.from(key, 'base64url')));
    await proxy.#listen(port).catch(() => proxy.#listen(0));
    await writeProxyState(folder, { key, port: proxy.#port });
    return proxy;
  }

  /** Begins to serve. Until then containers get 503. */
  serve(deps: ProxyDeps): void {
    this.#deps = deps;
  }

  bind(order: BoundOrder): DataProxyBinding {
    return proxyBinding(this.#baseOf(this.#tokens.tokenOf({ kind: 'order', id: order.id })), order);
  }

  bindService(service: BoundService): ReturnType<typeof serviceBinding> {
    return serviceBinding(this.#baseOf(this.#tokens.tokenOf({ kind: 'service', id: service.id })), service);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #baseOf(token: string): string {
    return `http://${loopback}:${this.#port}/${token}`;
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, loopback, () => {
        this.#server.removeListener('error', reject);
        resolve();
      });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await sendResponse(request, response, await this.#respond(request, response));
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      await sendResponse(request, response, this.#render(error)).catch(() => response.destroy());
    }
    request.resume();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<ProxyResponse> {
    const deps = this.#deps;
    if (deps === undefined) throw new OrdersError('unavailable', 'The server is starting');
    const url = new URL(request.url ?? '/', `http://${loopback}`);
    const [token = '', ...path] = url.pathname.split('/').slice(1).map(decodeSegment);
    const holder = holderOf(deps, this.#tokens.subjectOf(token), request.headers);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const length = request.headers['content-length'];
    const call: ProxyCall = {
      method: request.method ?? 'GET',
      path: path.at(-1) === '' ? path.slice(0, -1) : path,
      query: url.searchParams,
      headers: request.headers,
      ...holder,
      base: this.#baseOf(token),
      stream: request,
      length: length === undefined ? undefined : Number(length),
      signal: gone.signal,
    };
    return routeCall(deps, call);
  }

  #render(thrown: unknown): ProxyResponse {
    if (thrown instanceof OrdersError)
      return { status: ordersErrorCodes[thrown.restCode], body: { message: thrown.message, code: thrown.restCode } };
    const error = toError(thrown);
    if (thrown instanceof SyntaxError) return { status: 400, body: { message: error.message, code: 'bad-request' } };
    this.#deps?.logger.error('a request to the data proxy failed', { error: error.message });
    return { status: 500, body: { message: 'Something went wrong; the log of the server has more', code: 'internal' } };
  }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
