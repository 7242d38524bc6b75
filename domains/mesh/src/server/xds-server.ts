import type { Server as HttpServer } from 'node:http';
import { ChandleryError } from '@chandlery/api';
import { type Clock, type Logger, MetricsRegistry, silentLogger, systemClock } from '@chandlery/platform';
import { createPeerVerifier } from '../certificates/verify-peer.ts';
import { createServerMetrics } from '../metrics.ts';
import type { ProxyIdentity } from '../model/identity.ts';
import type { MeshAuthority, Proxy, ProxyRegistry, ProxyView } from '../ports.ts';
import type { DiscoveryStreams } from '../xds/discovery-streams.ts';
import { Connections } from './connections/connections.ts';
import { OutdatedConnections } from './connections/outdated-connections.ts';
import { type ConnectedClient, ProxyAuthenticator } from './connections/proxy-authenticator.ts';
import { SecureListener } from './connections/secure-listener.ts';
import { RequestReader } from './decode/request-reader.ts';
import { LatestCalls } from './discovery/latest-calls.ts';
import { listMethods } from './discovery/list-methods.ts';
import { MeshCalls } from './discovery/mesh-calls.ts';
import { GrpcServer } from './grpc/grpc-server.ts';
import type { ServeCallOptions } from './grpc/serve-call.ts';
import { createClientStatus } from './load-and-status/client-status.ts';
import type { LoadReports } from './load-and-status/load-reports.ts';
import { createRestServer } from './rest/rest-server.ts';
import { defaultServerLimits, type XdsServerLimits } from './server-limits.ts';

export interface XdsServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Names and addresses by which proxies reach this server. Default: `localhost` and the host. */
  readonly names?: readonly string[];
  readonly registry: ProxyRegistry;
  readonly authority: MeshAuthority;
  /** Not disposed of. */
  readonly streams: DiscoveryStreams;
  readonly loadReports: LoadReports;
  /** Whether the workload of a certificate exists. Default: every certificate is accepted. */
  readonly isKnownProxy?: (identity: ProxyIdentity) => boolean;
  readonly limits?: Partial<XdsServerLimits>;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: MetricsRegistry;
}

/** The discovery server, until disposed of: then its clients are asked to connect to another replica. */
export interface XdsServer extends AsyncDisposable {
  readonly port: number;
  /** The proxies that have streams, once for each stream. */
  listClients(): Iterable<Pick<ConnectedClient, 'proxy' | 'rootFingerprint' | 'notAfter'>>;
  /** The view of a connected proxy; undefined when it has disconnected. */
  viewOf(proxy: Proxy): ProxyView | undefined;
}

/** Opens the discovery server: xDS over gRPC and REST on one port, for clients with certificates of the mesh. */
export async function openXdsServer(options: XdsServerOptions): Promise<XdsServer> {
  const server = new RunningServer(options);
  return {
    port: await server.listen(),
    listClients: () => server.clients.values(),
    viewOf: proxy => server.clients.get(proxy)?.view,
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

class RunningServer {
  readonly clients = new Map<Proxy, ConnectedClient>();
  readonly #limits: XdsServerLimits;
  readonly #connections: Connections;
  readonly #grpc: GrpcServer;
  readonly #rest: HttpServer;
  readonly #listener: SecureListener;
  readonly #outdated: OutdatedConnections;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: XdsServerOptions) {
    const { authority, clock = systemClock, logger = silentLogger } = options;
    this.#limits = { ...defaultServerLimits, ...options.limits };
    this.#connections = new Connections({ ...this.#limits, clock });
    const connections = this.#connections;
    this.#outdated = new OutdatedConnections({ connections, authority, limits: this.#limits, clock });
    const { metrics = new MetricsRegistry() } = options;
    const calls: ServeCallOptions = {
      ...this.#limits,
      logger,
      metrics: createServerMetrics(metrics, () => this.#connections.count),
    };
    const authenticator = new ProxyAuthenticator({
      ...options,
      connections: this.#connections,
      verifyPeer: createPeerVerifier(authority, clock),
      trustNow: () => ({ trustVersion: authority.trustVersion, now: clock.now() }),
      readyTimeoutMs: this.#limits.readyTimeoutMs,
    });
    this.#grpc = this.#createGrpc(options, authenticator, calls);
    const { maxRequestBytes: maxBodyBytes, maxRestWaitMs: maxWaitMs } = this.#limits;
    this.#rest = createRestServer({ ...calls, connections: this.#connections, authenticator, maxBodyBytes, maxWaitMs });
    this.#listener = new SecureListener({
      ...options,
      names: options.names ?? [...new Set(['localhost', options.host])],
      logger,
      onHttp2: client => this.#grpc.serve(this.#connections.add(client)),
      onHttp1: client => {
        this.#connections.add(client);
        this.#rest.emit('connection', client.socket);
      },
    });
  }

  async listen(): Promise<number> {
    const port = await this.#listener.listen();
    this.#timer = setInterval(() => this.#check(), this.#limits.checkIntervalMs).unref();
    return port;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#outdated[Symbol.dispose]();
    const closed = this.#listener[Symbol.asyncDispose]();
    this.#connections.endAll(stopped());
    this.#grpc.drain();
    this.#rest.closeIdleConnections();
    const closeAll = setTimeout(() => this.#listener.closeAll(), this.#limits.stopGraceMs);
    await closed;
    clearTimeout(closeAll);
  }

  #check(): void {
    this.#listener.refresh();
    this.#connections.endExpired();
  }

  #createGrpc(options: XdsServerOptions, authenticator: ProxyAuthenticator, calls: ServeCallOptions): GrpcServer {
    const { streams, loadReports: reports } = options;
    const { loadReportIntervalMs: intervalMs } = this.#limits;
    const methods = listMethods({
      discovery: {
        authenticator,
        streams,
        clients: this.clients,
        latestCalls: new LatestCalls(),
        meshCalls: new MeshCalls(),
        requests: new RequestReader(),
      },
      loadStats: { authenticator, reports, metrics: calls.metrics, intervalMs },
      clientStatus: createClientStatus({ authenticator, streams, viewOf: proxy => this.clients.get(proxy)?.view }),
    });
    return new GrpcServer({ methods, calls, limits: this.#limits });
  }
}

const stopped = (): ChandleryError =>
  new ChandleryError('Stopped', 'this replica of the control plane is stopping', {
    hint: 'Connect to another one',
  });
