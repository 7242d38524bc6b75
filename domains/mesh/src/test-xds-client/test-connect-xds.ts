import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ResourceType } from '../model/resource.ts';
import type { TestNode } from './test-messages.ts';
import { type TestStreamOptions, TestXdsStream } from './test-xds-stream.ts';

/** Credentials of a client. All PEM. */
export interface TestTls {
  readonly ca: string;
  /** Undefined: the client has no certificate. */
  readonly cert?: string;
  readonly key?: string;
}

export interface ConnectXdsOptions {
  readonly address: { readonly host: string; readonly port: number };
  /** Undefined: plain TCP, as for a tunnel. */
  readonly tls?: TestTls;
  readonly node: TestNode;
}

export interface OpenTestStream extends Partial<Omit<TestStreamOptions, 'method'>> {
  /** Undefined: all types on one stream. */
  readonly only?: ResourceType;
}

const ads = '/envoy.service.discovery.v3.AggregatedDiscoveryService';

const services: Readonly<Record<ResourceType, readonly [service: string, noun: string]>> = {
  cluster: ['/envoy.service.cluster.v3.ClusterDiscoveryService', 'Clusters'],
  endpoints: ['/envoy.service.endpoint.v3.EndpointDiscoveryService', 'Endpoints'],
  listener: ['/envoy.service.listener.v3.ListenerDiscoveryService', 'Listeners'],
  route: ['/envoy.service.route.v3.RouteDiscoveryService', 'Routes'],
  secret: ['/envoy.service.secret.v3.SecretDiscoveryService', 'Secrets'],
};

/** A connection of a raw client, light enough for thousands; a connection has many streams. */
export class TestXdsConnection implements AsyncDisposable {
  readonly session: ClientHttp2Session;
  readonly #node: TestNode;

  constructor(session: ClientHttp2Session, node: TestNode) {
    this.session = session;
    this.#node = node;
  }

  /** Opens a discovery stream, by default of all types and the state of the world. */
  open({ only, mode = 'sotw', ...options }: OpenTestStream = {}): TestXdsStream {
    const [service, noun] = only ? services[only] : [ads, 'AggregatedResources'];
    const verb = mode === 'delta' ? 'Delta' : 'Stream';
    const method = `${service}/${verb}${noun}`;
    return new TestXdsStream(this.session, { node: this.#node, ...options, method, mode });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.session.destroyed) return;
    const closed = once(this.session, 'close');
    this.session.destroy();
    await closed;
  }
}

/** Connects a raw client. Rejects when the connection is rejected. */
export async function connectXds({ address, tls, node }: ConnectXdsOptions): Promise<TestXdsConnection> {
  const socket = tls && (await connectSecurely(address, tls));
  const session = connect(`http://${address.host}:${address.port}`, socket ? { createConnection: () => socket } : {});
  session.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    session.once('connect', () => resolve());
    session.once('error', reject);
  });
  return new TestXdsConnection(session, node);
}

async function connectSecurely({ host, port }: ConnectXdsOptions['address'], tls: TestTls): Promise<TLSSocket> {
  const socket = connectTls({ host, port, ...tls, ALPNProtocols: ['h2'], checkServerIdentity: () => undefined });
  await once(socket, 'secureConnect');
  return socket;
}
