import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';
import { type Cluster, clusters } from './kinds/cluster.ts';
import { type ClusterRequest, clusterRequests } from './kinds/cluster-request.ts';
import type { Capability } from './kinds/common.ts';
import { type SchedulerConfig, schedulerConfigs } from './kinds/scheduler-config.ts';
import { type RunningClusters, type StartClustersOptions, startClusters } from './start-clusters.ts';

/** A control plane with the controllers of clusters, for tests. */
export interface TestClusters extends AsyncDisposable {
  readonly plane: TestPlane;
  readonly platform: Client;
  readonly running: RunningClusters;
  /** Stops the controllers and starts new ones on the same objects. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Starts further controllers on the same objects, as another replica would. */
  startAnother(): Promise<AsyncDisposable>;
  request(name: string, purpose: string, more?: RequestOptions): Promise<ClusterRequest>;
  deleteRequest(name: string, namespace?: string): Promise<void>;
  findRequest(name: string, namespace?: string): Promise<ClusterRequest | undefined>;
  findCluster(name: string, namespace?: string): Promise<Cluster | undefined>;
  /** Waits until the request has the phase. */
  settled(name: string, phase?: string, namespace?: string): Promise<ClusterRequest>;
  ready(name: string, namespace?: string): Promise<Cluster>;
  gone(find: () => Promise<KubeObject | undefined>, what: string): Promise<void>;
  listClusters(): Promise<readonly Cluster[]>;
  /** Changes the purposes of the configuration. */
  configure(change: (spec: SchedulerConfig['spec']) => void): Promise<void>;
}

interface RequestOptions {
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly waitForClusterDeletion?: boolean;
  readonly requiredCapabilities?: Capability[];
}

export const testServer = { url: 'https://landscape.test:7443', caPem: 'CA', version: '1.34.1' };
/** Workloads that do nothing. */
export const noWorkloads = () => ({ purge: async () => undefined, [Symbol.asyncDispose]: async () => undefined });

export const startTestClusters = async (options: Partial<StartClustersOptions> = {}): Promise<TestClusters> => {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane());
  const platform = plane.connect('platform');
  const start = (): Promise<RunningClusters> =>
    startClusters({
      platform,
      connectLogical: name => plane.connect(name),
      server: testServer,
      runWorkloads: noWorkloads,
      ...options,
    });
  let running: RunningClusters | undefined = await start();
  const stop = async (): Promise<void> => {
    await running?.[Symbol.asyncDispose]();
    running = undefined;
  };
  stack.defer(stop);
  const all = stack.move();
  return {
    plane,
    platform,
    get running() {
      if (running === undefined) throw new Error('stopped');
      return running;
    },
    stop,
    startAnother: start,
    restart: async () => {
      await stop();
      running = await start();
    },
    ...verbs(platform),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
};

const orUndefined = <T>(promise: Promise<T>): Promise<T | undefined> => promise.catch(() => undefined);

type Verbs = Omit<
  TestClusters,
  'plane' | 'platform' | 'running' | 'restart' | 'startAnother' | 'stop' | typeof Symbol.asyncDispose
>;

function verbs(platform: Client): Verbs {
  const requestRef = (name: string, namespace = 'default') => ({ ...clusterRequests.ref, namespace, name });
  const clusterRef = (name: string, namespace = 'openmcp-system') => ({ ...clusters.ref, namespace, name });
  const findRequest = (name: string, namespace?: string) =>
    orUndefined(platform.get<ClusterRequest>(requestRef(name, namespace)));
  const findCluster = (name: string, namespace?: string) =>
    orUndefined(platform.get<Cluster>(clusterRef(name, namespace)));
  return {
    request: (name, purpose, { namespace = 'default', labels = {}, ...spec } = {}) =>
      platform.create(
        requestRef(name, namespace),
        clusterRequests.object({ name, namespace, labels }, { purpose, ...spec }),
      ),
    deleteRequest: async (name, namespace) => void (await platform.delete(requestRef(name, namespace))),
    findRequest,
    findCluster,
    settled: (name, phase = 'Granted', namespace) =>
      eventually(
        async () => {
          const request = await findRequest(name, namespace);
          return request?.status?.phase === phase && request;
        },
        { what: `request ${name} to be ${phase}` },
      ),
    ready: (name, namespace) =>
      eventually(
        async () => {
          const cluster = await findCluster(name, namespace);
          return cluster?.status?.phase === 'Ready' && cluster;
        },
        { what: `cluster ${name} to be ready` },
      ),
    gone: async (find, what) =>
      void (await eventually(async () => (await find()) === undefined, { what: `${what} to be deleted` })),
    listClusters: async () => (await platform.list<Cluster>(clusters.ref)).items,
    configure: async change => {
      const ref = { ...schedulerConfigs.ref, name: 'default' };
      const config = await platform.get<SchedulerConfig>(ref);
      change(config.spec);
      await platform.update(ref, config);
    },
  };
}
