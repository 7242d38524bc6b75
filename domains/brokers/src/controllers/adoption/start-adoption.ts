import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import { traceparentOfRow } from '@chandlery/registry';
import {
  type ControllerMetrics,
  createWorkQueue,
  runWorkers,
  systemTimers,
  type Timers,
  type WorkResult,
} from '@chandlery/runtime';
import type { Registry } from '../../model/rows.ts';
import type { BrokerSettings } from '../../settings.ts';
import { adoptBinding } from './adopt-binding.ts';
import { adoptInstance } from './adopt-instance.ts';
import { adoptPlatform } from './adopt-platform.ts';
import type { AdoptedTable, AdoptionDeps } from './adoption-deps.ts';
import { watchForAdoption } from './watch-for-adoption.ts';

/** What the adoption is made from. */
interface AdoptionOptions {
  readonly registry: Registry;
  readonly settings: BrokerSettings;
  readonly logger: Logger;
  /** Default: nothing is measured and traced. */
  readonly metrics?: ControllerMetrics | undefined;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
}

/** A row in the queue. */
export interface AdoptionKey {
  readonly table: AdoptedTable;
  readonly id: string;
  readonly tenant: string;
}

const concurrency = 8;
const queueName = 'brokers-adoption';

/**
 * Turns instances, bindings and platforms that were created, changed or deleted through the Kubernetes API into
 * operations and reports the results as conditions. The registry must be synced, and only one may run at a time.
 */
export function startAdoption(options: AdoptionOptions): AsyncDisposable {
  const { registry, settings, logger, metrics, clock = systemClock, timers = systemTimers } = options;
  const deps: AdoptionDeps = { registry, settings, clock };
  const queue = createWorkQueue<AdoptionKey>({
    idOf: ({ table, id }) => `${table}/${id}`,
    tenantOf: ({ tenant }) => tenant,
    backOff: { baseMs: 20, maxMs: 60_000 },
    ...(metrics && { observer: metrics.observeQueue(queueName) }),
    clock,
    timers,
  });
  const stop = watchForAdoption(registry, key => queue.add(key));
  const running = runWorkers({
    name: queueName,
    queue,
    concurrency,
    timers,
    tracer: metrics?.tracer,
    traceparentOf: ({ table, id }) => traceparentOfRow(registry[table].get(id)),
    work: key => adopt(deps, key),
    onFailure: ({ key, error: { code, message } }) =>
      logger.warn('could not adopt an object', { ...key, code, message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      stop();
      await running[Symbol.asyncDispose]();
    },
  };
}

async function adopt(deps: AdoptionDeps, { table, id }: AdoptionKey): Promise<WorkResult> {
  const { registry } = deps;
  switch (table) {
    case 'instances': {
      const row = registry.instances.get(id);
      return row === undefined ? 'done' : adoptInstance(deps, row);
    }
    case 'bindings': {
      const row = registry.bindings.get(id);
      return row === undefined ? 'done' : adoptBinding(deps, row);
    }
    case 'platforms': {
      const row = registry.platforms.get(id);
      return row === undefined ? 'done' : adoptPlatform(deps, row);
    }
  }
}
