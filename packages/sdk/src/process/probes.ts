import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenError, type MetricsRegistry, metricsContentType, type WantedPort } from '@chandlery/platform';

export interface ProbesOptions {
  readonly isReady: () => boolean;
  readonly registry: MetricsRegistry;
}

/** Serves `/healthz`, `/readyz` and `/metrics`, without authentication. */
export async function serveProbes(
  address: WantedPort,
  options: ProbesOptions,
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '/', response, options);
  });
  await listen(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function answer(url: string, response: ServerResponse, { isReady, registry }: ProbesOptions): Promise<void> {
  switch (url.split('?')[0]) {
    case '/healthz':
      return send(response, 200, 'ok\n');
    case '/readyz':
      return isReady() ? send(response, 200, 'ok\n') : send(response, 503, 'not ready: watches are not synced yet\n');
    case '/metrics':
      return send(response, 200, await registry.render(), metricsContentType);
    default:
      return send(response, 404, 'not found: there are /healthz, /readyz and /metrics\n');
  }
}

function send(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type });
  response.end(text);
}

const listen = (server: Server, wanted: WantedPort): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', error => reject(listenError(error, wanted)));
    server.listen(wanted.port, wanted.host, () => resolve());
  });

/**
 * The addresses of probes and metrics. On a local cluster, where pods share the machine's ports and `PORT_…` is set,
 * only this machine; otherwise all interfaces, or the address of the command line.
 */
export function probeAddresses(
  env: Readonly<Record<string, string | undefined>>,
  metricsAddress: string | undefined,
): { readonly health: WantedPort; readonly metrics: WantedPort | undefined } {
  const { PORT_HEALTH: healthPort, PORT_METRICS: metricsPort } = env;
  const isLocal = healthPort !== undefined || metricsPort !== undefined;
  const host = isLocal ? '127.0.0.1' : '::';
  return {
    health: { host, port: Number(healthPort ?? 8081), flag: 'PORT_HEALTH in the environment' },
    metrics:
      metricsPort === undefined
        ? parseAddress(metricsAddress, host)
        : { host, port: Number(metricsPort), flag: 'PORT_METRICS in the environment' },
  };
}

function parseAddress(address: string | undefined, host: string): WantedPort | undefined {
  if (address === undefined) return undefined;
  const colon = address.lastIndexOf(':');
  const port = Number(address.slice(colon + 1));
  return { host: address.slice(0, colon) || host, port, flag: '--metrics-bind-address' };
}
