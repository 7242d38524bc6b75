import { type ResourceType, typeUrls } from '../../model/resource.ts';
import type { StreamMode } from '../../xds/messages.ts';
import { encodeWholeResponse } from '../../xds/wire.ts';
import { decodeDiscoveryRequest } from '../decode/decode-request.ts';
import type { BeginCall } from '../grpc/serve-call.ts';
import { serveUnary, type UnaryRequest } from '../grpc/serve-unary.ts';
import { ClientStatusSession, type ClientStatusSource } from '../load-and-status/client-status.ts';
import { type LoadStatsOptions, LoadStatsSession } from '../load-and-status/load-stats-session.ts';
import { otherMethods, typeMethods } from './discovery-methods.ts';
import { DiscoverySession, type DiscoverySessionOptions } from './discovery-session.ts';
import { fetchResources } from './fetch-resources.ts';

export interface MethodsOptions {
  readonly discovery: Omit<DiscoverySessionOptions, 'mode' | 'only'>;
  readonly loadStats: LoadStatsOptions;
  readonly clientStatus: ClientStatusSource;
}

/** All methods of the server, by path. */
export function listMethods(options: MethodsOptions): ReadonlyMap<string, BeginCall> {
  const { discovery } = options;
  const discover =
    (mode: StreamMode, only?: ResourceType): BeginCall =>
    context =>
      new DiscoverySession(context, { ...discovery, mode, ...(only && { only }) });
  return new Map([
    [otherMethods.aggregated, discover('sotw')],
    [otherMethods.aggregatedDelta, discover('delta')],
    ...typeMethods.flatMap(({ type, stream, delta, fetch }): [string, BeginCall][] => [
      [stream, discover('sotw', type)],
      [delta, discover('delta', type)],
      [fetch, serveUnary(request => fetchOnce(request, type, options))],
    ]),
    [otherMethods.loadStats, context => new LoadStatsSession(context, options.loadStats)],
    [otherMethods.clientStatus, context => new ClientStatusSession(context, options.clientStatus)],
    [
      otherMethods.fetchClientStatus,
      serveUnary(({ message, connection }) => options.clientStatus.respond(message, connection)),
    ],
  ] satisfies [string, BeginCall][]);
}

/** Always a full response: gRPC has no equivalent of 304. */
async function fetchOnce(
  { message, connection, signal }: UnaryRequest,
  type: ResourceType,
  { discovery }: MethodsOptions,
): Promise<Uint8Array> {
  discovery.authenticator.authenticate(connection);
  const { node, request } = decodeDiscoveryRequest(message);
  using client = await discovery.authenticator.connectProxy(connection, node, signal);
  const { dialect } = client.proxy;
  const { version, resources } = fetchResources(client.view, { type, names: request.resourceNames, dialect });
  return encodeWholeResponse({ version, nonce: version, typeUrl: typeUrls[type], resources });
}
