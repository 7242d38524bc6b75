import { toError } from '@chandlery/api';
import type { InternalBroker } from '@chandlery/brokers/kinds';
import type { PodUsage } from '@chandlery/clusters';
import type { EmbeddedDnsPort } from '@chandlery/fleet';
import { type Kernel, onboardingCluster } from '@chandlery/kernel';
import type { PodLogs } from '@chandlery/kubernetes';
import { defaultEndpointsProviders, type EndpointsProviderFactory } from '@chandlery/mesh';
import { StatusJoin } from '@chandlery/orders';
import {
  type Clock,
  type Logger,
  type LogSettings,
  MetricsRegistry,
  openTracing,
  type ProcessIdentity,
  type ServerConfig,
  ServiceAccountTokens,
  Shutdown,
  systemClock,
} from '@chandlery/platform';
import { openAuditLog } from './audit.ts';
import { LandscapeAuthority } from './authority/landscape-authority.ts';
import { createLenses } from './create-lenses.ts';
import { claimDataFolder, type DataFolder, openDataFolder, writeAuthorityFile } from './data-folder.ts';
import { noPods, type RunningDomains, startDomains } from './domains.ts';
import { startFleet } from './fleet.ts';
import { KubeconfigKeeper } from './kubeconfig-keeper.ts';
import { checkPorts, listen } from './listen.ts';
import { startMesh } from './mesh.ts';
import { startOrders } from './orders.ts';
import { openReplicas } from './replicas/open-replicas.ts';
import { brokerSettingsOf, startServiceManager } from './service-manager.ts';
import { startKernel, storeText } from './start-kernel.ts';
import { version } from './version.ts';
import { startWorkflows } from './workflows.ts';

/** A landscape that serves. */
export interface RunningLandscape extends AsyncDisposable {
  /** `https://127.0.0.1:7443`. */
  readonly url: string;
  readonly httpUrl: string | undefined;
  /** Where proxies connect. */
  readonly xdsPort: number;
  readonly kubeconfigPath: string;
  readonly tokenPath: string;
  readonly authorityPath: string;
  /** Where data lives, fit to be shown. */
  readonly storeText: string;
  /** Whether local clusters run pods as processes of this machine. */
  readonly runsPods: boolean;
  /** Where the embedded DNS serves, which may be another port than the one that was wanted. */
  readonly dnsPorts: readonly EmbeddedDnsPort[];
  readonly kernel: Kernel;
  readonly stopping: Shutdown;
}

/** What the process gives its landscape. */
export interface LandscapeOptions {
  readonly logger: Logger;
  /** What the logger goes by; may be changed while it runs. Default: some that nothing goes by. */
  readonly logSettings?: LogSettings;
  /** Called when the APIs are served, perhaps long before everything has started. Default: nothing. */
  readonly onServing?: (stopping: Shutdown) => void;
  /**
   * Who knows where services of meshes run, in order of trust. Default: Kubernetes, virtual machines, DNS, and what proxies
   * announce.
   */
  readonly endpointsProviders?: readonly EndpointsProviderFactory[];
  /** When the kernel says that it is, for tests of what happens over days. Default: the clock of the machine. */
  readonly clock?: Clock;
}

/**
 * Starts everything, in the order in which it depends on each other; whatever has started is stopped again when a
 * later part fails. Only this function knows all parts.
 */
export async function startLandscape(config: ServerConfig, options: LandscapeOptions): Promise<RunningLandscape> {
  const stopping = new Shutdown({ logger: options.logger });
  try {
    return await start(config, { ...defaultOptions(), ...options }, stopping);
  } catch (error) {
    await stopping.stop();
    throw error;
  }
}

const defaultOptions = () => ({
  logSettings: { level: 'info', format: 'json' } satisfies LogSettings,
  onServing: () => undefined,
  endpointsProviders: defaultEndpointsProviders,
  clock: systemClock,
});

async function start(
  config: ServerConfig,
  { logger, logSettings, onServing, endpointsProviders, clock }: Required<LandscapeOptions>,
  stopping: Shutdown,
): Promise<RunningLandscape> {
  // Before anything is written, because it may be rejected.
  const brokerSettings = brokerSettingsOf(config);
  const identity = claimDataFolder(config, stopping);
  await checkPorts(config);
  const folder = openDataFolder(config, logger);
  const { keys, adminToken, authorityPath, kubeconfigPath } = folder;
  const tokens = new ServiceAccountTokens({ signingKey: keys.serviceAccountKey });
  const audit = openAuditLog(config, logger, stopping);
  const registry = new MetricsRegistry();
  const { tracer } = stopping.use('traces', openTracing({ ...tracingOf(config, identity), registry, logger }));
  const workflowJoin = new StatusJoin();
  const kernel = await startKernel(config, {
    keys,
    tokens,
    identity,
    audit,
    workflowJoin,
    registry,
    tracer,
    logger,
    stopping,
    clock,
  });
  const authority = stopping.use(
    'certificate authority',
    await LandscapeAuthority.open({ kernel, first: keys.authority, clock: systemClock, logger }),
  );
  writeAuthorityFile(folder, authority.trustPem);
  const startup = { isComplete: false };
  const domains: { running?: RunningDomains } = {};
  const workflows = await startWorkflows(config, { kernel, join: workflowJoin, logger, stopping });
  const podLogs: PodLogs = {
    read: request => (domains.running?.podLogs ?? noPods).read(request),
    readStored: request => workflows.readStoredLog(request),
  };
  const serving: { url?: string } = {};
  const replicas = openReplicas(config, {
    kernel,
    identity,
    authority,
    keyring: keys.keyring,
    urlNow: () => serving.url,
    isLeaderNow: () => domains.running?.isLeader() ?? false,
    logger,
    stopping,
  });
  const lenses = createLenses(config, {
    kernel,
    folder,
    identity,
    authority,
    replicas,
    tokens,
    registry,
    tracer,
    podLogs,
    audit,
    startup,
    logger,
    stopping,
  });
  const internalBrokers = new Map<string, InternalBroker>();
  const serviceManager = await startServiceManager(config, {
    settings: brokerSettings,
    ...lenses,
    internalBrokers,
    kernel,
    audit,
    registry,
    tracer,
    logger,
    logSettings,
    stopping,
  });
  const mesh = await startMesh(config, { ...lenses, kernel, endpointsProviders, registry, logger, stopping });
  const fleet = await startFleet(config, {
    ...lenses,
    kernel,
    keys,
    authority,
    adminToken,
    audit,
    registry,
    logger,
    stopping,
  });
  const podUsage: PodUsage = { read: async request => domains.running?.podUsage.read(request) };
  const orders = await startOrders(config, {
    ...lenses,
    kernel,
    audit,
    registry,
    podLogs,
    podUsage,
    workflows,
    serving,
    logger,
    stopping,
  });
  if (fleet.offerings !== undefined) internalBrokers.set('fleet', fleet.offerings);
  if (orders.offerings !== undefined) internalBrokers.set('orders', orders.offerings);
  const { url, httpUrl } = await listen(config, { host: lenses.host, authority, orders, kernel, logger, stopping });
  serving.url = url;
  onServing(stopping);
  stopping.add('streams of proxies', () => serviceManager.closeStreams());
  stopping.add('polls of agents', () => fleet.endPolls());
  domains.running = stopping.use(
    'domains',
    await startDomains(config, {
      kernel,
      authority,
      identity,
      url: config.publicUrl ?? url,
      registry,
      tracer,
      logger,
      serviceManager,
      mesh,
      fleet,
      orders,
      workflows,
    }),
  );
  await keepKubeconfig(folder, { kernel, authority, url, logger, stopping });
  await Promise.all([domains.running.started, serviceManager.opened, fleet.opened, orders.opened, workflows.opened]);
  startup.isComplete = true;
  return {
    url,
    httpUrl,
    xdsPort: mesh.port,
    kubeconfigPath,
    tokenPath: adminToken.path,
    authorityPath,
    storeText: storeText(config),
    runsPods: config.localClusters === 'on',
    dnsPorts: await fleet.dnsPorts(),
    kernel,
    stopping,
    [Symbol.asyncDispose]: async () => void (await stopping.stop()),
  };
}

/** Where spans go, and what they say of this process. */
const tracingOf = ({ otlpEndpoint: endpoint, traceRatio: ratio }: ServerConfig, { identity }: ProcessIdentity) => ({
  endpoint,
  ratio,
  resource: {
    'service.name': 'chandlery',
    'service.instance.id': identity,
    'service.version': version,
  },
  env: process.env,
});

interface KubeconfigParts {
  readonly kernel: Kernel;
  readonly authority: LandscapeAuthority;
  readonly url: string;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

async function keepKubeconfig(
  folder: DataFolder,
  { kernel, authority, url, logger, stopping }: KubeconfigParts,
): Promise<void> {
  const { adminToken, kubeconfigPath } = folder;
  const keeper = new KubeconfigKeeper({
    kernel,
    path: kubeconfigPath,
    content: () => ({
      url,
      authority: authority.trustPem,
      token: adminToken.token,
      currentContext: onboardingCluster,
    }),
    onFailure: error => logger.warn('cannot write the kubeconfig', { error: toError(error).message }),
  });
  stopping.use('kubeconfig', keeper);
  const follow = (): void => {
    writeAuthorityFile(folder, authority.trustPem);
    keeper.refresh();
  };
  stopping.add('kubeconfig after rotations', authority.onChange(follow));
  await keeper.write();
}
