import { type Clock, type Logger, MetricsRegistry, silentLogger, systemClock } from '@chandlery/platform';
import { OsbForwarder } from './data-path/osb-forwarder.ts';
import { type ListenOptions, type ProxyHealth, type ProxyServer, startProxyServer } from './data-path/proxy-server.ts';
import { addProxyMetrics, type ProxyMetrics } from './metrics.ts';
import { HandledRevisions } from './model/handled-revisions.ts';
import { createNaming, withoutSlash } from './model/proxy-names.ts';
import { subjectsOf } from './model/subjects.ts';
import type { BasicCredentials, PlatformAdapter } from './ports.ts';
import { NotificationListener } from './service-manager/notification-listener.ts';
import { RestServiceManager } from './service-manager/rest-service-manager.ts';
import { defaultSettings, type ProxySettings } from './settings.ts';
import { ProxyState } from './state/proxy-state.ts';
import { CredentialManager } from './worker/credential-manager.ts';
import { PlatformRemoval } from './worker/platform-removal.ts';
import { Reconciler } from './worker/reconciler.ts';
import { ProxyWorker } from './worker/worker.ts';

export interface ProxyOptions {
  /** The service manager, and the credentials of the platform there. */
  readonly serviceManager: BasicCredentials & { readonly url: string; readonly caPem?: string | undefined };
  /** Disposed of with the proxy. */
  readonly platform: PlatformAdapter;
  /** Default {@link defaultSettings}; those given replace single ones. */
  readonly settings?: Partial<ProxySettings>;
  /** What is to be remembered over restarts. Default: nothing, so that a restart compares everything. */
  readonly stateFile?: string | undefined;
  /** Default: nothing is served. */
  readonly listen?: ListenOptions | undefined;
  /**
   * Puts the proxy on the way of calls: the address of `listen` as the platform reaches it, or `true` for the address
   * itself. Default: the platform calls the service manager.
   */
  readonly dataPath?: string | true | undefined;
  /** Default: silent. */
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** A proxy that runs. */
export interface Proxy extends AsyncDisposable {
  /** Where it listens; undefined when it does not. */
  readonly url: string | undefined;
  health(): ProxyHealth;
  /** Compares everything soon. */
  resync(): void;
  /** Replaces the credentials of all brokers soon. */
  rotateCredentials(): void;
}

const agentVersion = 'chandlery-proxy/0.1.0';

/** Starts a proxy: the platform becomes and stays as the service manager has it. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { platform, listen, logger = silentLogger, clock = systemClock } = options;
  const settings = { ...defaultSettings, ...options.settings };
  const access = { ...options.serviceManager, url: withoutSlash(options.serviceManager.url) };
  await using stack = new AsyncDisposableStack();
  stack.use(platform);
  const serviceManager = stack.use(new RestServiceManager({ ...access, timeoutMs: settings.requestTimeoutMs }));
  const state = new ProxyState(access.url, options.stateFile);
  const common = settings.areBrokerCredentialsEnabled ? undefined : access;
  const { rotateCredentialsAfterMs: rotateAfterMs } = settings;
  const credentials = new CredentialManager({ serviceManager, state, clock, common, rotateAfterMs });
  let health = (): ProxyHealth => ({ status: 'DOWN', details: {} });
  const registry = new MetricsRegistry();
  const metrics = addProxyMetrics(registry, () => health());
  const served = { options, access, settings, registry, metrics, health: () => health() };
  const server = listen && stack.use(await serve(listen, served));
  const naming = createNaming({
    settings,
    serviceManagerUrl: access.url,
    platform,
    dataPath: dataPathOf(options, server),
  });
  const reconciler = new Reconciler({ serviceManager, platform, credentials, naming, settings, logger });
  const removal = stack.use(new PlatformRemoval({ ...settings, platform, naming, logger }));
  const revisions = new HandledRevisions(state.handledRevision);
  const onProgress = (): void => {
    state.setHandledRevision(revisions.handled);
    if (revisions.handled !== undefined) listener.acknowledge(revisions.handled);
  };
  const forgetRevision = (): void => {
    revisions.forget();
    state.setHandledRevision(undefined);
  };
  const worker = stack.use(new ProxyWorker({ reconciler, revisions, settings, logger, clock, metrics, onProgress }));
  const hadRevision = revisions.handled !== undefined;
  const isAccessInCatalog = platform.scopeLabel === undefined;
  const listener: NotificationListener = stack.use(
    new NotificationListener({
      ...access,
      ...settings,
      logger,
      agentVersion,
      revision: () => revisions.handled,
      onPlatformDeleted: () => {
        forgetRevision();
        removal.begin(() => worker[Symbol.asyncDispose]());
      },
      onGone: forgetRevision,
      onStart: newest => worker.resync(newest),
      onMessage: message => worker.add(subjectsOf(message, { isAccessInCatalog }), message.revision),
    }),
  );
  health = () => healthOf({ worker, listener, revisions, hadRevision, removal });
  const all = stack.move();
  return {
    url: server?.url,
    health,
    resync: () => worker.resync(),
    rotateCredentials: () => {
      credentials.rotateAll();
      worker.resync();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface ServeOptions {
  readonly options: ProxyOptions;
  readonly access: ProxyOptions['serviceManager'];
  readonly settings: ProxySettings;
  readonly registry: MetricsRegistry;
  readonly metrics: ProxyMetrics;
  readonly health: () => ProxyHealth;
}

async function serve(
  listen: ListenOptions,
  { options, access, settings, registry, metrics, health }: ServeOptions,
): Promise<ProxyServer> {
  const forwarder =
    options.dataPath === undefined
      ? undefined
      : new OsbForwarder({
          serviceManagerUrl: access.url,
          caPem: access.caPem,
          timeoutMs: settings.requestTimeoutMs,
          common: settings.areBrokerCredentialsEnabled ? undefined : access,
          onForwarded: (status, seconds) => metrics.forwarded(status, seconds),
        });
  const server = await startProxyServer(listen, { health, forwarder, registry });
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await forwarder?.[Symbol.asyncDispose]();
    },
  };
}

const dataPathOf = ({ dataPath }: ProxyOptions, server: ProxyServer | undefined): string | undefined =>
  dataPath === true ? server?.url : dataPath;

interface HealthInputs {
  readonly worker: ProxyWorker;
  readonly listener: NotificationListener;
  readonly revisions: HandledRevisions;
  /** Resumed from what was remembered: nothing had to be compared. */
  readonly hadRevision: boolean;
  readonly removal: PlatformRemoval;
}

function healthOf({ worker, listener, revisions, hadRevision, removal }: HealthInputs): ProxyHealth {
  if (removal.isRemoved) return { status: 'UP', details: { platform_removed: true, remaining: removal.remaining } };
  const isUp = listener.isConnected && (hadRevision || worker.lastResync !== undefined);
  return {
    status: isUp ? 'UP' : 'DOWN',
    details: {
      connected: listener.isConnected,
      handled_revision: revisions.handled,
      last_resync: worker.lastResync,
      problems: Object.fromEntries(worker.problems),
    },
  };
}
