import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiError, type KubeObject, toError } from '@chandlery/api';
import type { ServiceManager } from '@chandlery/brokers';
import type { Client } from '@chandlery/client';
import {
  addClusterMetrics,
  type ClusterMetrics,
  createProcessNode,
  HostImageMap,
  type PodLogs,
  type PodNode,
  type PodUsage,
  startClusters,
  startWorkloads,
} from '@chandlery/clusters';
import { createKernelClient, type Kernel, onboardingCluster, platformCluster } from '@chandlery/kernel';
import type { MeshControlPlane } from '@chandlery/mesh';
import type { Orders } from '@chandlery/orders';
import {
  auditLogTarget,
  type Logger,
  type MetricsRegistry,
  type ProcessIdentity,
  type ServerConfig,
  type Tracer,
  untilAborted,
} from '@chandlery/platform';
import { addProviderMetrics, type ProviderMetrics, startProviders } from '@chandlery/providers';
import { controlPlanes } from '@chandlery/providers/kinds';
import { type ControllerMetrics, createControllerMetrics, createLeaseElector } from '@chandlery/runtime';
import type { LandscapeAuthority } from './authority/landscape-authority.ts';
import type { RunningFleet } from './fleet.ts';
import { versionInfo } from './version.ts';
import type { RunningWorkflows } from './workflows.ts';

export interface DomainDeps {
  readonly kernel: Kernel;
  readonly authority: Pick<LandscapeAuthority, 'trustPem' | 'onChange'>;
  readonly identity: ProcessIdentity;
  /** Where the landscape is served. */
  readonly url: string;
  readonly registry: MetricsRegistry;
  readonly tracer: Tracer;
  readonly logger: Logger;
  readonly serviceManager: Pick<ServiceManager, 'startControllers'>;
  readonly mesh: Pick<MeshControlPlane, 'startControllers'>;
  readonly fleet: Pick<RunningFleet, 'startControllers'>;
  readonly orders: Pick<Orders, 'startControllers' | 'bytes'>;
  readonly workflows: Pick<RunningWorkflows, 'startControllers'>;
}

/** The products, running in this process or waiting for their turn. */
export interface RunningDomains extends AsyncDisposable {
  /** Resolves when the domains have started, here or in the replica that leads. */
  readonly started: Promise<void>;
  /** Reads what containers print that this process runs. */
  readonly podLogs: PodLogs;
  /** Measures containers that this process runs. */
  readonly podUsage: PodUsage;
  /** Whether the controllers run in this process. */
  isLeader(): boolean;
}

/** What a run of the domains makes known to the rest of the process. */
interface Shown {
  podLogs?: PodLogs | undefined;
  podUsage?: PodUsage | undefined;
  isLeader?: boolean;
}

/**
 * Starts the controllers of all domains. On an embedded store they run here and now; of several replicas only one runs
 * them at a time, and another takes over when it goes.
 */
export async function startDomains(config: ServerConfig, deps: DomainDeps): Promise<RunningDomains> {
  const shown: Shown = {};
  const metrics = createControllerMetrics(deps.registry, deps.tracer);
  const clusterMetrics = addClusterMetrics(deps.registry);
  const providerMetrics = addProviderMetrics(deps.registry);
  const run = (): Promise<AsyncDisposable> =>
    runDomains(config, { ...deps, metrics, clusterMetrics, providerMetrics, shown });
  const { running, started } =
    config.database === undefined ? { running: await run(), started: Promise.resolve() } : electOne(deps, run);
  return {
    started,
    podLogs: { read: async request => (shown.podLogs ?? noPods).read(request) },
    podUsage: { read: async request => shown.podUsage?.read(request) },
    isLeader: () => shown.isLeader === true,
    [Symbol.asyncDispose]: () => Promise.resolve(running[Symbol.asyncDispose]()),
  };
}

/** Reads nothing, and says why. */
export const noPods: PodLogs = {
  read: async () => {
    throw apiError('ServiceUnavailable', 'this replica runs no pods; ask the one that runs the controllers');
  },
};

interface ElectedDomains {
  readonly running: AsyncDisposable;
  readonly started: Promise<void>;
}

/** Runs the domains whenever this replica leads. */
function electOne({ kernel, identity, logger }: DomainDeps, run: () => Promise<AsyncDisposable>): ElectedDomains {
  const started = Promise.withResolvers<void>();
  const stopped = new AbortController();
  const runAndReport = async (): Promise<AsyncDisposable> => {
    const running = await run();
    started.resolve();
    return running;
  };
  const client = createKernelClient(kernel, { cluster: platformCluster });
  const warn = (error: unknown): void =>
    logger.warn('running the domains failed, will be tried again', { error: toError(error).message });
  const elector = createLeaseElector({
    client,
    namespace: 'kube-system',
    name: 'chandlery-domains',
    ...identity,
    lead: async ({ signal }) => {
      while (!signal.aborted) await runWhileLeading(runAndReport, signal).catch(warn);
    },
    onNewLeader: leader => {
      if (leader !== identity.identity)
        void untilKindsServed(kernel, stopped.signal).then(started.resolve, started.resolve);
    },
    onError: warn,
  });
  elector.start();
  const running = {
    [Symbol.asyncDispose]: async () => {
      stopped.abort();
      await elector.stop();
      await client[Symbol.asyncDispose]();
    },
  };
  return { running, started: started.promise };
}

/** Waits for the last of the kinds that a leader installs when it starts. */
async function untilKindsServed(kernel: Kernel, signal: AbortSignal): Promise<void> {
  while ((await kernel.target(onboardingCluster, controlPlanes.ref)) === undefined)
    await sleep(kindsPollMs, undefined, { signal });
}

const kindsPollMs = 100;

/** A leader that cannot start, as when the database is down, tries again until another replica leads. */
async function runWhileLeading(run: () => Promise<AsyncDisposable>, signal: AbortSignal): Promise<void> {
  try {
    await using _domains = await run();
    await untilAborted(signal);
  } catch (error) {
    await Promise.race([sleep(retryMs), untilAborted(signal)]);
    throw error;
  }
}

const retryMs = 2000;

interface RunDeps extends DomainDeps {
  readonly metrics: ControllerMetrics;
  readonly clusterMetrics: ClusterMetrics;
  readonly providerMetrics: ProviderMetrics;
  readonly shown: Shown;
}

async function runDomains(config: ServerConfig, deps: RunDeps): Promise<AsyncDisposable> {
  const { kernel, logger, metrics, clusterMetrics, providerMetrics, shown } = deps;
  await using stack = new AsyncDisposableStack();
  const connectLogical = (cluster: string): Client => createKernelClient(kernel, { cluster });
  const platform = stack.use(connectLogical(platformCluster));
  const onboarding = stack.use(connectLogical(onboardingCluster));
  const hostImages = new HostImageMap();
  const node = openNode(config, hostImages, { logger, stack });
  const clusters = stack.use(
    await startClusters({
      platform,
      connectLogical,
      server: serverOf(deps),
      ...(node && { node, runWorkloads: workloadsOn(node, deps) }),
      hostImages,
      logger,
      metrics,
      clusterMetrics,
    }),
  );
  shown.podLogs = clusters.podLogs;
  shown.podUsage = clusters.podUsage;
  shown.isLeader = true;
  stack.defer(() => {
    shown.podLogs = undefined;
    shown.podUsage = undefined;
    shown.isLeader = false;
  });
  const { podLogs } = clusters;
  const readPodLog = podLogs && ((pod: KubeObject, tailLines: number) => readLog(podLogs, pod, tailLines));
  const runsPods = config.localClusters === 'on';
  stack.use(
    await startProviders({
      platform,
      onboarding,
      tenantClusters: { url: deps.url, base: onboardingCluster },
      runsPods,
      logger,
      metrics,
      providerMetrics,
      ...(readPodLog && { readPodLog }),
    }),
  );
  stack.use(deps.serviceManager.startControllers(metrics));
  stack.use(deps.mesh.startControllers(metrics));
  const { url, authority } = deps;
  stack.use(await deps.fleet.startControllers({ platform, url, authority, controllerMetrics: metrics }));
  stack.use(deps.orders.startControllers(metrics));
  if (podLogs) stack.use(await deps.workflows.startControllers({ podLogs, orders: deps.orders }));
  return stack.move();
}

/** Where the landscape is served. Whom to trust changes with rotations of the certificate authority. */
const serverOf = ({ url, authority }: RunDeps) => ({
  url,
  get caPem() {
    return authority.trustPem;
  },
  onCaChange: (listener: () => void) => authority.onChange(listener),
  version: kubernetesVersion,
});

/** `1.32.0`. */
const kubernetesVersion = versionInfo.gitVersion.replace(/^v/, '').replace(/\+.*$/, '');

interface NodeParts {
  readonly logger: Logger;
  readonly stack: AsyncDisposableStack;
}

function openNode(config: ServerConfig, { images }: HostImageMap, { logger, stack }: NodeParts): PodNode | undefined {
  if (config.localClusters === 'off') return undefined;
  const folder = join(config.dataDir, 'node');
  const isolation = { hidden: secretPaths(config), isOptional: config.podIsolation === 'preferred' };
  return stack.use(createProcessNode({ folder, images, baseFolder: process.cwd(), isolation, logger }));
}

/** What isolated pods must not see: the data folder, settings with passwords, audit records, the operator's kubeconfigs. */
function secretPaths(config: ServerConfig): readonly string[] {
  const audit = auditLogTarget(config);
  const kubeconfigs = (process.env['KUBECONFIG'] ?? '').split(delimiter).filter(path => path !== '');
  const paths = [
    config.dataDir,
    config.config ?? 'chandlery.yaml',
    ...(audit.to === 'file' ? [audit.path] : []),
    join(homedir(), '.kube'),
    ...kubeconfigs,
  ];
  return paths.map(path => resolve(path));
}

const workloadsOn =
  (node: PodNode, { url, authority, logger, metrics }: RunDeps) =>
  (clusterName: string, client: Client): ReturnType<typeof startWorkloads> =>
    startWorkloads({
      client,
      node,
      clusterName,
      api: {
        server: `${url}/clusters/${clusterName}`,
        get caPem() {
          return authority.trustPem;
        },
      },
      logger,
      metrics,
    });

/** The last lines of a pod's first container. */
async function readLog(podLogs: PodLogs, pod: KubeObject, tailLines: number): Promise<string> {
  const { containers = [] } = (pod['spec'] ?? {}) as { containers?: { name: string }[] };
  const container = containers[0]?.name ?? '';
  const chunks: Uint8Array[] = [];
  for await (const chunk of await podLogs.read({ cluster: platformCluster, pod, container, tailLines })) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
