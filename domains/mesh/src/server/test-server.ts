import { MetricsRegistry } from '@chandlery/platform';
import type { ProxyIdentity } from '../model/identity.ts';
import { connectXds, type TestXdsConnection } from '../test-xds-client/test-connect-xds.ts';
import type { TestNode } from '../test-xds-client/test-messages.ts';
import { createDiscoveryStreams, type DiscoveryStreams } from '../xds/discovery-streams.ts';
import type { DiscoveryStreamsOptions } from '../xds/stream-settings.ts';
import type { TestView } from '../xds/test-view.ts';
import { createLoadAggregate, type LoadAggregate } from './load-and-status/load-aggregate.ts';
import { type ClientCertificate, TestMeshAuthority } from './test-mesh-authority.ts';
import { TestProxyRegistry } from './test-registry.ts';
import { openXdsServer, type XdsServer, type XdsServerOptions } from './xds-server.ts';

/** A proxy of the tenant `acme`. */
export const testIdentity: ProxyIdentity = {
  trustDomain: 'cluster.local',
  tenant: 'acme',
  cluster: 'eu-1',
  namespace: 'shop',
  serviceAccount: 'web',
  proxyId: 'proxy-1',
};

export interface ConnectOptions {
  readonly identity?: Partial<ProxyIdentity>;
  /** Default: one for the identity, signed by the current root. `none`: the client has no certificate. */
  readonly certificate?: ClientCertificate | 'none';
  readonly node?: Partial<TestNode>;
}

export type TestServerOptions = Partial<
  Omit<XdsServerOptions, 'registry' | 'authority' | 'streams' | 'loadReports'>
> & {
  readonly streamOptions?: DiscoveryStreamsOptions;
};

/** A discovery server on a free port, with a mesh for `acme`. */
export class TestServer implements AsyncDisposable {
  readonly authority: TestMeshAuthority;
  readonly registry: TestProxyRegistry;
  readonly view: TestView;
  readonly streams: DiscoveryStreams;
  readonly loads: LoadAggregate;
  readonly metrics: MetricsRegistry;
  readonly server: XdsServer;
  readonly #connections: TestXdsConnection[] = [];

  constructor(parts: Pick<TestServer, 'authority' | 'registry' | 'view' | 'streams' | 'loads' | 'metrics' | 'server'>) {
    ({
      authority: this.authority,
      registry: this.registry,
      view: this.view,
      streams: this.streams,
      loads: this.loads,
      metrics: this.metrics,
      server: this.server,
    } = parts);
  }

  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.server.port };
  }

  /** Credentials of a client. */
  tls({ identity, certificate }: ConnectOptions = {}): { ca: string; cert?: string; key?: string } {
    const ca = this.authority.trustBundle;
    if (certificate === 'none') return { ca };
    return { ca, ...(certificate ?? this.authority.root.issue({ ...testIdentity, ...identity })) };
  }

  async connect(options: ConnectOptions = {}): Promise<TestXdsConnection> {
    const node = { id: options.identity?.proxyId ?? 'proxy-1', ...options.node };
    const connection = await connectXds({ address: this.address, tls: this.tls(options), node });
    this.#connections.push(connection);
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections) await connection[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    this.streams[Symbol.dispose]();
  }
}

const promptly: DiscoveryStreamsOptions['debounce'] = {
  urgentMs: 0,
  endpoints: { quietMs: 0, maxMs: 0 },
  config: { quietMs: 0, maxMs: 0 },
};

export async function startTestServer({ streamOptions, ...options }: TestServerOptions = {}): Promise<TestServer> {
  const authority = new TestMeshAuthority();
  const registry = new TestProxyRegistry();
  const view = registry.addMesh('acme');
  const metrics = new MetricsRegistry();
  const streams = createDiscoveryStreams({ debounce: promptly, metrics, ...streamOptions });
  const loads = createLoadAggregate({ clock: options.clock ?? { now: () => new Date() } });
  const base = { host: '127.0.0.1', port: 0, metrics, ...options };
  const limits = { stopGraceMs: 500, ...options.limits };
  const server = await openXdsServer({ ...base, limits, authority, registry, streams, loadReports: loads });
  return new TestServer({ authority, registry, view, streams, loads, metrics, server });
}
