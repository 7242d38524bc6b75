import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { listenError, type MetricsRegistry, metricsContentType } from '@chandlery/platform';
import { osbPath } from '../model/proxy-names.ts';
import type { OsbForwarder } from './osb-forwarder.ts';

/** How a proxy is. */
export interface ProxyHealth {
  readonly status: 'UP' | 'DOWN';
  readonly details: Readonly<Record<string, unknown>>;
}

/** Where a proxy listens. */
export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Default: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

export interface ProxyServerOptions {
  readonly health: () => ProxyHealth;
  /** Undefined: the platform calls the service manager itself. */
  readonly forwarder: OsbForwarder | undefined;
  /** What `/metrics` shows. */
  readonly registry: MetricsRegistry;
}

/** A server that runs. */
export interface ProxyServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves `/healthz`, `/metrics` and, when the proxy is on the way, calls of brokers. */
export async function startProxyServer(
  { host, port, tls }: ListenOptions,
  parts: ProxyServerOptions,
): Promise<ProxyServer> {
  const handle = (request: IncomingMessage, response: ServerResponse): void => void answer(request, response, parts);
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  try {
    await once(server.listen(port, host), 'listening');
  } catch (cause) {
    throw listenError(cause, { host, port, flag: '--port' });
  }
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { health, forwarder, registry }: ProxyServerOptions,
) {
  const { url = '' } = request;
  if (forwarder !== undefined && url.startsWith(`${osbPath}/`)) return forwarder.forward(request, response);
  if (url === '/metrics') {
    const text = await registry.render();
    response.writeHead(200, { 'content-type': metricsContentType }).end(text);
    return;
  }
  const shown = url === '/healthz' ? health() : undefined;
  const status = shown === undefined ? 404 : shown.status === 'UP' ? 200 : 503;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(shown ?? { description: 'nothing is served here' }));
}
