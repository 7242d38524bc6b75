import { ChandleryError } from '@chandlery/api';
import type protobuf from 'protobufjs';
import { proxySpiffeId } from '../../model/identity.ts';
import { typeUrls } from '../../model/resource.ts';
import type { Proxy, ProxyView } from '../../ports.ts';
import { loadEnvoyProtos } from '../../resources/proto/load-envoy-protos.ts';
import { frameMessage } from '../../xds/frame-message.ts';
import type { StreamStatus, TypeStatus } from '../../xds/stream-status.ts';
import type { Connection } from '../connections/connection.ts';
import type { ProxyAuthenticator } from '../connections/proxy-authenticator.ts';
import type { CallContext, CallSession } from '../grpc/serve-call.ts';
import { compileNodeMatchers, type PlainNodeMatcher } from './node-matcher.ts';

export interface ClientStatusOptions {
  readonly authenticator: ProxyAuthenticator;
  readonly streams: { status(): Iterable<StreamStatus> };
  /** The view of a proxy; undefined when it has disconnected. */
  readonly viewOf: (proxy: Proxy) => ProxyView | undefined;
}

/** Client status discovery (CSDS). A client sees the proxies of its own mesh. */
export interface ClientStatusSource {
  /** Decodes a `ClientStatusRequest` and returns an encoded `ClientStatusResponse`. */
  respond(message: Buffer, connection: Connection): Promise<Uint8Array>;
}

interface PlainRequest {
  readonly node_matchers?: readonly PlainNodeMatcher[];
  readonly exclude_resource_contents?: boolean;
}

/** Maximum number of resources in one response. */
const maxResources = 200_000;

const states = { SYNCED: 1, NOT_SENT: 2, STALE: 3, ERROR: 4 } as const;
const acceptance = { requested: 1, accepted: 3, rejected: 4 } as const;

export const createClientStatus = ({ authenticator, streams, viewOf }: ClientStatusOptions): ClientStatusSource => ({
  async respond(message, connection) {
    const { tenant } = authenticator.authenticate(connection).identity;
    const root = await loadEnvoyProtos();
    const { node_matchers: matchers = [], exclude_resource_contents: isBrief = false } = decode(message, root);
    const isWanted = compileNodeMatchers(matchers);
    const shown = [...streams.status()].filter(
      ({ proxy }) => proxy.identity.tenant === tenant && isWanted(proxy.nodeId),
    );
    const config = clientConfigs(shown, proxy => (isBrief ? undefined : viewOf(proxy)), root);
    return root.lookupType('envoy.service.status.v3.ClientStatusResponse').encode({ config }).finish();
  },
});

function decode(message: Buffer, root: protobuf.Root): PlainRequest {
  const type = root.lookupType('envoy.service.status.v3.ClientStatusRequest');
  try {
    return type.toObject(type.decode(message));
  } catch (cause) {
    throw new ChandleryError('InvalidMessage', 'cannot read the request for client status', { cause });
  }
}

/** Returns one entry for each proxy, however many streams it has. */
function clientConfigs(
  statuses: readonly StreamStatus[],
  viewOf: ClientStatusOptions['viewOf'],
  root: protobuf.Root,
): object[] {
  const clients = new Map<string, { node: object; generic_xds_configs: object[] }>();
  let left = maxResources;
  for (const status of statuses) {
    const { proxy } = status;
    const key = `${proxy.nodeId} ${proxySpiffeId(proxy.identity)}`;
    const client = clients.get(key) ?? { node: nodeOf(proxy), generic_xds_configs: [] };
    clients.set(key, client);
    for (const type of status.types) {
      const configs = typeConfigs(status, type, { view: viewOf(proxy), root });
      left -= configs.length;
      if (left < 0) throw tooMuch();
      client.generic_xds_configs.push(...configs);
    }
  }
  return [...clients.values()];
}

const nodeOf = ({ nodeId, region = '', zone = '', identity }: Proxy): object => ({
  id: nodeId,
  cluster: identity.cluster,
  locality: { region, zone },
});

function typeConfigs(
  stream: StreamStatus,
  status: TypeStatus,
  { view, root }: { readonly view: ProxyView | undefined; readonly root: protobuf.Root },
): object[] {
  const { type, sentAt, error } = status;
  const common = {
    type_url: typeUrls[type],
    config_status: states[status.state],
    client_status: acceptanceOf(status),
    ...(sentAt && { last_updated: timestamp(sentAt) }),
    ...(error && {
      error_state: {
        details: error.message,
        last_update_attempt: timestamp(error.at),
        version_info: status.sentVersion ?? '',
      },
    }),
  };
  const sent = stream.resources(type);
  if (sent.length === 0) return [common];
  return sent.map(({ name, version = '' }) => {
    // Secrets are shown by name only.
    const resource = type === 'secret' ? undefined : view?.get(type, name);
    const isSame = resource?.version === version;
    const content = isSame && { xds_config: root.lookupType('google.protobuf.Any').decode(resource.any) };
    return { ...common, name, version_info: version, ...content };
  });
}

function acceptanceOf({ error, isInFlight, ackedVersion }: TypeStatus): number {
  if (error) return acceptance.rejected;
  return isInFlight || ackedVersion === undefined ? acceptance.requested : acceptance.accepted;
}

const timestamp = (at: Date): object => ({
  seconds: Math.floor(at.getTime() / 1000),
  nanos: (at.getTime() % 1000) * 1e6,
});

const tooMuch = (): ChandleryError =>
  new ChandleryError('OverCapacity', `the respond would have more than ${maxResources} resources`, {
    hint: 'Ask for fewer proxies with node_matchers',
  });

/** Serves a stream of client status requests, one at a time. */
export class ClientStatusSession implements CallSession {
  readonly #context: CallContext;
  readonly #source: ClientStatusSource;

  constructor(context: CallContext, source: ClientStatusSource) {
    this.#context = context;
    this.#source = source;
  }

  async onMessage(message: Buffer): Promise<void> {
    const { port, connection } = this.#context;
    port.send(frameMessage(await this.#source.respond(message, connection)));
  }

  close(): void {}
}
