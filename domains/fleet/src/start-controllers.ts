import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Clock, Logger } from '@chandlery/platform';
import { type ControllerMetrics, createEventRecorder } from '@chandlery/runtime';
import { createLandscapeProvider } from './adapters/clusters/landscape-provider.ts';
import { standaloneProvider } from './adapters/clusters/standalone-provider.ts';
import { startClusterWorker } from './controllers/clusters/cluster-worker.ts';
import { startScalingWorker } from './controllers/clusters/scaling-worker.ts';
import type { FleetExtension } from './controllers/fleet-extension.ts';
import { startRecordWorker } from './controllers/records/record-worker.ts';
import { startRolloutWorker } from './controllers/rollouts/rollout-worker.ts';
import { startInstanceWorkers } from './controllers/start-instance-workers.ts';
import type { WorkerDeps } from './controllers/worker-deps.ts';
import { fleetKinds } from './kinds/index.ts';
import { observeClusters } from './observe-clusters.ts';
import { observeInstances } from './observe-instances.ts';
import type { AgentInstaller, ClusterObserver, ClusterProvider, ProductAdapters, WorkerObserver } from './ports.ts';
import type { FleetRegistry, InstanceRow } from './registry/fleet-registry.ts';

/** What the controllers are made from. */
export interface FleetControllerDeps {
  readonly registry: FleetRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the logical cluster of the fleet; events are recorded there. */
  readonly client: Client;
  readonly adaptersOf: (productId: string) => Promise<ProductAdapters>;
  readonly observer: WorkerObserver & ClusterObserver;
  /** Steps that products add to workers. */
  readonly extensions: readonly FleetExtension[];
  /** Of the platform cluster, for clusters that the landscape makes. */
  readonly platform: Client;
  readonly installer: AgentInstaller;
  /** See {@link WorkerDeps}. */
  readonly onAuthorityChange?: WorkerDeps['onAuthorityChange'];
  /** Default: nothing is measured and traced. */
  readonly controllerMetrics?: ControllerMetrics | undefined;
  /** Default: ClusterRequests of the landscape. */
  readonly landscapeProvider?: ClusterProvider;
}

/** Starts all controllers of the fleet. The registry must be filled, and only one process at a time may run them. */
export function startFleetControllers(deps: FleetControllerDeps): AsyncDisposable {
  const { registry, clock, logger, client, platform, installer, observer, controllerMetrics } = deps;
  const stack = new AsyncDisposableStack();
  const events = stack.use(createEventRecorder({ client, component: 'fleet', clock }));
  const recordEvent: WorkerDeps['recordEvent'] = (row, notice) => events.record(objectOf(row), notice);
  const landscape = deps.landscapeProvider ?? createLandscapeProvider({ platform, clusterDns: localRouter });
  const providers = { standalone: standaloneProvider, landscape };
  const clusterDeps = { registry, clock, logger, installer, providers, controllerMetrics };
  stack.defer(observeInstances(registry, { observer, clock }));
  stack.defer(observeClusters(registry, { observer, clock }));
  stack.use(startInstanceWorkers({ ...deps, recordEvent }));
  stack.use(startClusterWorker(clusterDeps));
  stack.use(startScalingWorker(clusterDeps));
  stack.use(startRolloutWorker(deps));
  stack.use(startRecordWorker(deps));
  return { [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Clusters that the landscape makes are on this machine: names of their instances lead to its own address. */
const localRouter = '127.0.0.1';

const objectOf = ({ id, tenant, uid }: InstanceRow): KubeObject => ({
  apiVersion: fleetKinds.instances.apiVersion,
  kind: fleetKinds.instances.kind,
  metadata: { name: id, namespace: tenant, uid },
});
