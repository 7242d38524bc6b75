import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpHost } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';
import { OrdersError, recordNotFound } from '../../errors.ts';
import { type ForwardedFrom, requestHeaders, responseHeaders } from '../../model/hosting/proxy-headers.ts';
import { readProxyPath } from '../../model/hosting/proxy-path.ts';
import type { HostedEndpoint, ProcessGateway } from '../../order-ports.ts';
import { type FindProcessDeps, findProcess } from '../handlers/hosting/find-process.ts';
import type { RouteAccess } from '../handlers/route-access.ts';
import type { FindCaller } from '../middleware/caller.ts';
import { isUnexpected, renderOrdersError } from '../middleware/render-error.ts';
import { scopeOf } from '../middleware/tenancy.ts';
import { namespaceHeader } from './orders-server.ts';

export interface ProxyUpgradeDeps extends FindProcessDeps {
  readonly host: Pick<HttpHost, 'upgradeUnder'>;
  readonly findCaller: FindCaller;
  readonly gateway: ProcessGateway;
  /** What a client needs for a WebSocket, which can say anything to the process. */
  readonly access: RouteAccess;
  readonly logger: Logger;
}

/** Passes WebSockets on to processes of services, with the rights of a request that changes something. */
export function serveProxyUpgrades(deps: ProxyUpgradeDeps): void {
  deps.host.upgradeUnder(
    path => readProxyPath(path) !== undefined,
    (request, socket, head) => void serve(deps, request, { socket, head }),
  );
}

interface Client {
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

async function serve(deps: ProxyUpgradeDeps, request: IncomingMessage, client: Client): Promise<void> {
  const gone = new AbortController();
  client.socket.once('close', () => gone.abort());
  try {
    const { endpoint, from, target } = await admit(deps, request);
    const sent = { method: 'GET', target, headers: requestHeaders(request.headers, from) };
    const answer = await deps.gateway.upgrade(endpoint, sent, gone.signal);
    const headers = responseHeaders(answer.headers, { ...from, origin: originOf(endpoint) });
    if ('body' in answer) return await sendResponse(client, { ...answer, headers });
    const accepted = { ...headers, connection: 'Upgrade', upgrade: 'websocket' };
    client.socket.write(headOf(answer.status, accepted));
    await connect(client, answer);
  } catch (error) {
    if (isUnexpected(error) && !gone.signal.aborted)
      deps.logger.error('a WebSocket failed unexpectedly', { error: String(error) });
    sendError(client, error);
  }
}

/** Who may send the request, and where it goes. Throws as the REST API does. */
async function admit(deps: ProxyUpgradeDeps, request: IncomingMessage) {
  const caller = await deps.findCaller({ raw: request });
  if (caller === undefined) throw new OrdersError('unauthenticated', 'the request has no valid token');
  const path = readProxyPath(request.url ?? '');
  if (path === undefined) throw recordNotFound('the path');
  const namespace = request.headers[namespaceHeader];
  const scope = scopeOf(caller, deps.access, typeof namespace === 'string' && namespace !== '' ? namespace : undefined);
  const endpoint = findProcess(deps, { params: { id: path.service }, scope });
  const from: ForwardedFrom = {
    scheme: 'encrypted' in request.socket ? 'https' : 'http',
    host: request.headers.host ?? '',
    clientAddress: request.socket.remoteAddress ?? '',
    prefix: path.prefix,
  };
  return { endpoint, from, target: path.target === '' ? '/' : path.target };
}

const originOf = ({ host, port }: HostedEndpoint): string => `http://${host}:${port}`;

/** Each side is read at the pace of the other; the end of one is that of both. */
async function connect(client: Client, server: Client): Promise<void> {
  client.socket.write(server.head);
  server.socket.write(client.head);
  await Promise.allSettled([pipeline(client.socket, server.socket), pipeline(server.socket, client.socket)]);
  client.socket.destroy();
  server.socket.destroy();
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

function headOf(status: number, headers: Headers): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map(text => `${name}: ${text}`));
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n');
}

interface PlainResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The process did not agree to a WebSocket. */
async function sendResponse({ socket }: Client, { status, headers, body }: PlainResponse): Promise<void> {
  socket.write(headOf(status, { ...headers, connection: 'close' }));
  await pipeline(Readable.from(body, { objectMode: false }), socket);
}

function sendError({ socket }: Client, error: unknown): void {
  if (socket.destroyed || !socket.writable) return;
  const { status, body, headers } = renderOrdersError(error);
  const text = body === undefined ? '' : JSON.stringify(body);
  const type = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  socket.end(headOf(status, { ...headers, ...type, connection: 'close' }) + text, () => socket.destroy());
}
