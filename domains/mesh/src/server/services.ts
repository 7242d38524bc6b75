import type { Server } from '@grpc/grpc-js';
import { type ResourceType, typeUrls } from '../model/resource.ts';
import type { StreamMode } from '../xds/messages.ts';
import { encodeWholeResponse } from '../xds/wire.ts';
import type { ClientStatusSource } from './client-status.ts';
import { ClientStatusSession } from './client-status-session.ts';
import { decodeDiscoveryRequest } from './decode-request.ts';
import { otherMethods, typeMethods } from './discovery-methods.ts';
import { DiscoverySession, type DiscoverySessionOptions } from './discovery-session.ts';
import { fetchResources } from './fetch-resources.ts';
import { type LoadStatsOptions, LoadStatsSession } from './load-stats-session.ts';
import { type ServeCallOptions, serveCalls } from './serve-call.ts';
import { serveUnary, type UnaryRequest } from './serve-unary.ts';

export interface ServicesOptions {
  readonly calls: ServeCallOptions;
  readonly discovery: Omit<DiscoverySessionOptions, 'mode' | 'only'>;
  readonly loadStats: LoadStatsOptions;
  readonly clientStatus: ClientStatusSource;
}

/** Messages are encoded and decoded by those who handle them, so that they can be encoded once for many. */
const asItIs = (message: Buffer): Buffer => message;

/** Adds everything that the server answers. */
export function addServices(server: Server, options: ServicesOptions): void {
  const { calls, discovery } = options;
  const add = (path: string, handler: ReturnType<typeof serveCalls>): void => {
    server.register(path, handler, asItIs, asItIs, 'bidi');
  };
  const addUnary = (path: string, handler: ReturnType<typeof serveUnary>): void => {
    server.register(path, handler, asItIs, asItIs, 'unary');
  };
  const discover = (mode: StreamMode, only?: ResourceType): ReturnType<typeof serveCalls> =>
    serveCalls(calls, context => new DiscoverySession(context, { ...discovery, mode, ...(only && { only }) }));

  add(otherMethods.aggregated, discover('sotw'));
  add(otherMethods.aggregatedDelta, discover('delta'));
  for (const { type, stream, delta, fetch } of typeMethods) {
    add(stream, discover('sotw', type));
    add(delta, discover('delta', type));
    addUnary(
      fetch,
      serveUnary(calls, request => fetchOnce(request, type, options)),
    );
  }
  add(
    otherMethods.loadStats,
    serveCalls(calls, context => new LoadStatsSession(context, options.loadStats)),
  );
  add(
    otherMethods.clientStatus,
    serveCalls(calls, context => new ClientStatusSession(context, options.clientStatus)),
  );
  addUnary(
    otherMethods.fetchClientStatus,
    serveUnary(calls, ({ message, connection }) => options.clientStatus.answer(message, connection)),
  );
}

/** Always answered in full: over gRPC there is no way to say that nothing is new. */
async function fetchOnce(
  { message, connection, signal }: UnaryRequest,
  type: ResourceType,
  { discovery }: ServicesOptions,
): Promise<Uint8Array> {
  discovery.door.identify(connection);
  const { node, request } = decodeDiscoveryRequest(message);
  using guest = await discovery.door.enter(connection, node, signal);
  const { dialect } = guest.proxy;
  const { version, resources } = fetchResources(guest.view, { type, names: request.resourceNames, dialect });
  return encodeWholeResponse({ version, nonce: version, typeUrl: typeUrls[type], resources });
}
