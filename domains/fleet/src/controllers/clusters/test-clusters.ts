import { createLifecycleActions } from '../../actions/lifecycle-actions.ts';
import { standaloneProvider } from '../../adapters/clusters/standalone-provider.ts';
import { fleetClusterName } from '../../kinds/index.ts';
import type { AgentInstaller, ClusterProvider, ProvidedCluster } from '../../ports.ts';
import type { TestFleet } from '../../test-fleet.ts';
import { startClusterWorker } from './cluster-worker.ts';
import { startScalingWorker } from './scaling-worker.ts';

/** Clusters that exist only in name; they pass the contract of providers. */
export class MemoryClusterProvider implements ClusterProvider {
  /** By name: how often its status was asked for. */
  readonly clusters = new Map<string, number>();
  failure: string | undefined;

  create({ name }: ProvidedCluster): Promise<void> {
    if (!this.clusters.has(name)) this.clusters.set(name, 0);
    return Promise.resolve();
  }

  status({ name, clusterId }: ProvidedCluster): ReturnType<ClusterProvider['status']> {
    const asked = (this.clusters.get(name) ?? 0) + 1;
    this.clusters.set(name, asked);
    if (this.failure !== undefined) return Promise.resolve({ type: 'failed', message: this.failure });
    return Promise.resolve(
      asked < 2
        ? { type: 'pending', message: 'being made' }
        : { type: 'ready', clusterDns: `apps.${clusterId}.example.com` },
    );
  }

  kubeconfig({ name }: ProvidedCluster): Promise<string | undefined> {
    return Promise.resolve(this.clusters.has(name) ? `kubeconfig of ${name}` : undefined);
  }

  delete({ name }: ProvidedCluster): Promise<boolean> {
    this.clusters.delete(name);
    return Promise.resolve(true);
  }
}

/** Installs agents that report their clusters as ready at once. */
export class MemoryAgentInstaller implements AgentInstaller {
  readonly installed = new Set<string>();
  readonly #fleet: TestFleet;

  constructor(fleet: TestFleet) {
    this.#fleet = fleet;
  }

  /** The agent speaks before its process is seen to run. */
  install({ name, product, clusterId }: ProvidedCluster): Promise<boolean> {
    const isNew = !this.installed.has(name);
    if (isNew) setTimeout(() => void this.#report(product, clusterId), 50);
    this.installed.add(name);
    return Promise.resolve(!isNew);
  }

  remove({ name }: ProvidedCluster): Promise<boolean> {
    this.installed.delete(name);
    return Promise.resolve(true);
  }

  async #report(productId: string, clusterId: string): Promise<void> {
    const { deps } = this.#fleet;
    const cluster = deps.registry.clusters.get(fleetClusterName(productId, clusterId));
    if (cluster === undefined) return;
    await createLifecycleActions(deps).reportCluster(this.#fleet.product(productId), cluster, {
      conditions: [{ type: 'Ready', status: 'True', reason: '', message: '' }],
      operatorVersions: [{ version: 'op.v1.0.0-0', ready: true, productVersions: ['1.0.0'] }],
      capacity: undefined,
    });
  }
}

export interface TestClusters extends AsyncDisposable {
  readonly provider: MemoryClusterProvider;
  readonly installer: MemoryAgentInstaller;
}

/** Starts the workers of clusters on a fleet. */
export function startTestClusters(fleet: TestFleet): TestClusters {
  const provider = new MemoryClusterProvider();
  const installer = new MemoryAgentInstaller(fleet);
  const deps = { ...fleet.deps, providers: { standalone: standaloneProvider, landscape: provider }, installer };
  const stack = new AsyncDisposableStack();
  stack.use(startClusterWorker(deps));
  stack.use(startScalingWorker(deps));
  return { provider, installer, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
