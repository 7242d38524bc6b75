import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { toError } from '@chandlery/api';
import { readRequestBody } from '@chandlery/http';
import { clientDisconnected, meshReloaded } from '../../errors.ts';
import { type ResourceType, typeUrls } from '../../model/resource.ts';
import type { ProxyView } from '../../ports.ts';
import { loadEnvoyProtos } from '../../resources/proto/load-envoy-protos.ts';
import { anyToJson } from '../../resources/proto/proto-json.ts';
import type { Connections } from '../connections/connections.ts';
import type { ProxyAuthenticator } from '../connections/proxy-authenticator.ts';
import { typeMethods } from '../discovery/discovery-methods.ts';
import {
  type FetchedResources,
  type FetchRequest,
  fetchResources,
  waitForChange,
} from '../discovery/fetch-resources.ts';
import { httpStatusOf } from '../grpc/call-status.ts';
import { reportFailure, type ServeCallOptions } from '../grpc/serve-call.ts';
import { parseRestRequest } from './parse-rest-request.ts';

export interface RestServerOptions extends Pick<ServeCallOptions, 'logger' | 'metrics'> {
  readonly connections: Connections;
  readonly authenticator: ProxyAuthenticator;
  readonly maxBodyBytes: number;
  /** Maximum time that a client may wait for a change (`Prefer: wait=<seconds>`). */
  readonly maxWaitMs: number;
}

interface RestResponse {
  readonly status: number;
  readonly body?: unknown;
}

const typeByPath: ReadonlyMap<string, ResourceType> = new Map(
  typeMethods.map(({ restPath, type }) => [restPath, type]),
);

/** Serves the REST interface of discovery to accepted HTTP/1.1 connections; it does not listen itself. */
export function createRestServer(options: RestServerOptions): Server {
  return createServer({ requestTimeout: 30_000, keepAliveTimeout: 60_000 }, (request, response) => {
    void respond(request, response, options);
  });
}

async function respond(request: IncomingMessage, response: ServerResponse, options: RestServerOptions): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort(clientDisconnected()));
  const { status, body } = await handle(request, closed.signal, options).catch(error =>
    failureResponse(error, options),
  );
  if (body === undefined) {
    response.writeHead(status).end();
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

async function handle(
  request: IncomingMessage,
  signal: AbortSignal,
  options: RestServerOptions,
): Promise<RestResponse> {
  const connection = options.connections.bySocket(request.socket);
  options.authenticator.authenticate(connection);
  const type = typeByPath.get((request.url ?? '').split('?')[0] ?? '');
  if (!type || request.method !== 'POST') return notFound;
  const { node, request: discovery } = parseRestRequest(await readRequestBody(request, options.maxBodyBytes));
  if (discovery.typeUrl !== '' && discovery.typeUrl !== typeUrls[type]) return otherType(type);
  using client = await options.authenticator.connectProxy(connection, node, signal);
  const wanted = { type, names: discovery.resourceNames, dialect: client.proxy.dialect };
  const waitMs = waitOf(request, options.maxWaitMs);
  if (waitMs > 0)
    await waitForChange(client.view, { type, version: discovery.versionInfo, waitMs, signal, closed: client.closed });
  if (client.closed.aborted) throw meshReloaded();
  return await fetched(client.view, wanted, discovery.versionInfo);
}

async function fetched(view: ProxyView, wanted: FetchRequest, version: string): Promise<RestResponse> {
  const found = fetchResources(view, wanted);
  if (version !== '' && version === found.version) return { status: 304 };
  return { status: 200, body: await toJson(found, typeUrls[wanted.type]) };
}

async function toJson({ version, resources }: FetchedResources, typeUrl: string): Promise<unknown> {
  const root = await loadEnvoyProtos();
  return {
    version_info: version,
    type_url: typeUrl,
    nonce: version,
    resources: resources.map(({ any }) => anyToJson(any, root)),
  };
}

/** Reads `Prefer: wait=<seconds>`. Default: no wait. */
function waitOf({ headers }: IncomingMessage, maxWaitMs: number): number {
  const [, seconds = '0'] = /(?:^|[,;\s])wait=(\d{1,6})/.exec(String(headers.prefer ?? '')) ?? [];
  return Math.min(Number(seconds) * 1000, maxWaitMs);
}

const notFound: RestResponse = {
  status: 404,
  body: { message: 'not found; POST to /v3/discovery:<type>' },
};

const otherType = (type: ResourceType): RestResponse => ({
  status: 400,
  body: { message: `type_url is not that of the path, which is ${typeUrls[type]}` },
});

function failureResponse(error: unknown, options: RestServerOptions): RestResponse {
  if (toError(error).code === 'RequestEntityTooLarge')
    return { status: 413, body: { message: toError(error).message } };
  const callStatus = reportFailure(error, options);
  return { status: httpStatusOf(callStatus), body: { message: callStatus.details } };
}
