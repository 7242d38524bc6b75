import { traceparentOfRow } from '@chandlery/registry';
import { createWorkQueue, relistPriority, runWorkers, type StepResult, type WorkResult } from '@chandlery/runtime';
import { fleetClusterName } from '../../kinds/index.ts';
import type { ClusterRow } from '../../registry/fleet-registry.ts';
import { begin, retire } from './begin.ts';
import type { ClusterDeps } from './cluster-deps.ts';
import { ClusterDraft, type ClusterStep } from './cluster-draft.ts';
import { cleanUp, deprovision } from './deprovision.ts';
import { awaitProvisioned, create } from './provision.ts';
import { awaitAgent, installAgent, knowDns, knowIdentity } from './terraform.ts';
import { watchAgent } from './watch-agent.ts';

const steps: readonly ClusterStep[] = [
  begin,
  retire,
  deprovision,
  cleanUp,
  create,
  awaitProvisioned,
  knowDns,
  knowIdentity,
  installAgent,
  awaitAgent,
  watchAgent,
];
const concurrency = 16;
const workerName = 'fleet-clusters';

/** Starts the worker of clusters, which changes of clusters, of their instances and of products add to its queue. */
export function startClusterWorker(deps: ClusterDeps): AsyncDisposable {
  const { registry, clock, logger, controllerMetrics: metrics } = deps;
  const observer = metrics && { observer: metrics.observeQueue(workerName) };
  const queue = createWorkQueue<string>({ backOff: { baseMs: 100, maxMs: 30_000 }, clock, ...observer });
  const add = ({ id }: ClusterRow, options = {}): void => queue.add(id, options);
  const stops = [
    registry.clusters.listen(({ type, row }) => {
      if (type !== 'removed') add(row);
    }),
    registry.products.listen(({ row }) => {
      for (const cluster of registry.clusters.by('product', row.id)) add(cluster, { priority: relistPriority });
    }),
    // The last instance may have left a cluster that is to go.
    registry.instances.listen(({ type, row, previous }) => {
      const former = type === 'removed' ? row : previous;
      const { clusterId } = former?.status ?? {};
      if (clusterId !== undefined && (type === 'removed' || row.status.clusterId !== clusterId))
        queue.add(fleetClusterName(row.spec.product, clusterId));
    }),
  ];
  for (const row of registry.clusters.all()) add(row, { priority: relistPriority });
  const workers = runWorkers({
    name: workerName,
    tracer: metrics?.tracer,
    traceparentOf: id => traceparentOfRow(registry.clusters.get(id)),
    queue,
    concurrency,
    work: id => reconcile(deps, id),
    onFailure: ({ key, error }) =>
      logger.warn('a cluster could not be reconciled', { cluster: key, error: error.message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      await workers[Symbol.asyncDispose]();
    },
  };
}

async function reconcile(deps: ClusterDeps, id: string): Promise<WorkResult> {
  const row = deps.registry.clusters.get(id);
  if (row === undefined) return 'done';
  const draft = new ClusterDraft(row, deps.registry.now());
  let result: StepResult = 'continue';
  for (const step of steps) {
    result = await step(draft, deps, deps.clock.now());
    if (result !== 'continue') break;
  }
  const writes = draft.commitWrites();
  if (writes.length > 0) await deps.registry.commit(writes);
  return typeof result === 'object' ? { requeueAfterMs: Math.max(0, result.retryAfterMs) } : 'done';
}
