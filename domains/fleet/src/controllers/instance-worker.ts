import { traceparentOfRow } from '@chandlery/registry';
import {
  createWorkQueue,
  relistPriority,
  runWorkers,
  type Timers,
  type WorkFailure,
  type WorkQueue,
} from '@chandlery/runtime';
import { type InstanceRow, indexTerm } from '../registry/fleet-registry.ts';
import { InstanceLocks } from './instance-locks.ts';
import { reconcileInstance } from './reconcile-instance.ts';
import { type InstanceWorkerDefinition, isMine } from './worker-definition.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** An instance in a queue. */
export interface InstanceKey {
  readonly id: string;
  readonly tenant: string;
}

export interface InstanceWorkerOptions {
  /** How many instances are worked on at a time. Default 32. */
  readonly concurrency?: number;
  /** Shared by all workers of the same instances. Default: its own. */
  readonly locks?: InstanceLocks;
  /** Default: the process's. */
  readonly timers?: Timers;
}

const backOff = { baseMs: 50, maxMs: 30_000 };

/**
 * Starts a worker. It looks at each instance once at the start; from then on changes and due times add instances to its
 * queue, in which organisations take turns. What one reconcile costs does not depend on how many instances there are.
 */
export function startInstanceWorker(
  definition: InstanceWorkerDefinition,
  deps: WorkerDeps,
  { concurrency = 32, locks = new InstanceLocks(), timers }: InstanceWorkerOptions = {},
): AsyncDisposable {
  const { registry, controllerMetrics: metrics } = deps;
  const name = `fleet-instances-${definition.name}`;
  const queue = createWorkQueue<InstanceKey>({
    idOf: ({ id }) => id,
    tenantOf: ({ tenant }) => tenant,
    backOff,
    ...(metrics && { observer: metrics.observeQueue(name) }),
    clock: deps.clock,
    ...(timers && { timers }),
  });
  const unlisten = listen(definition, deps, queue);
  const workers = runWorkers({
    name,
    tracer: metrics?.tracer,
    traceparentOf: ({ id }) => traceparentOfRow(registry.instances.get(id)),
    queue,
    concurrency,
    work: (key, { signal }) =>
      locks.run(key.id, {
        work: () => reconcileInstance(definition, deps, { id: key.id, signal }),
        onRelease: () => queue.add(key),
      }),
    onFailure: failure => report(definition, deps, failure),
    ...(timers && { timers }),
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of unlisten) stop();
      await workers[Symbol.asyncDispose]();
    },
  };
}

function listen(
  definition: InstanceWorkerDefinition,
  deps: WorkerDeps,
  queue: WorkQueue<InstanceKey>,
): readonly (() => void)[] {
  const { registry } = deps;
  const add = (row: InstanceRow, options = {}): void => {
    if (isMine(definition, row)) queue.add(keyOf(row), options);
  };
  const addProduct = (product: string): void => {
    for (const state of definition.states)
      for (const row of registry.instances.by('state', indexTerm(product, state === 'unadmitted' ? '' : state)))
        add(row, { priority: relistPriority });
  };
  const stops = [
    registry.instances.listen(({ type, row }) => {
      if (type !== 'removed') add(row);
    }),
    // A new configuration has other deadlines, adapters and lists.
    registry.products.listen(({ row }) => addProduct(row.id)),
    ...(definition.listen === undefined ? [] : [definition.listen(deps, row => add(row))]),
  ];
  for (const row of registry.instances.all()) add(row, { priority: relistPriority });
  return stops;
}

const keyOf = ({ id, spec }: InstanceRow): InstanceKey => ({ id, tenant: indexTerm(spec.product, spec.organisation) });

function report({ name }: InstanceWorkerDefinition, { logger }: WorkerDeps, failure: WorkFailure<InstanceKey>): void {
  const { key, error, failures } = failure;
  logger.warn('an instance could not be reconciled', {
    worker: name,
    instance: key.id,
    failures,
    error: error.message,
  });
}
