import { isError, toError } from '@chandlery/api';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import { createWorkQueue, systemTimers, type Timers, type WorkQueue } from '@chandlery/runtime';
import type { Registry } from '../../model/rows.ts';
import type { BrokerSettings } from '../../settings.ts';
import { adoptBinding } from './adopt-binding.ts';
import { adoptInstance } from './adopt-instance.ts';
import { adoptPlatform } from './adopt-platform.ts';
import type { AdoptedTable, AdoptionDeps, RequeueAfter } from './adoption-deps.ts';
import { watchForAdoption } from './watch-for-adoption.ts';

/** What the adoption is made from. */
interface AdoptionOptions {
  readonly registry: Registry;
  readonly settings: BrokerSettings;
  readonly logger: Logger;
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

const workers = 8;

/**
 * Turns instances, bindings and platforms that were created, changed or deleted through the Kubernetes API into
 * operations and reports the results as conditions. The registry must be synced, and only one may run at a time.
 */
export function startAdoption(options: AdoptionOptions): AsyncDisposable {
  const { registry, settings, logger, clock = systemClock, timers = systemTimers } = options;
  const deps: AdoptionDeps = { registry, settings, clock };
  const queue = createWorkQueue<AdoptionKey>({
    idOf: ({ table, id }) => `${table}/${id}`,
    tenantOf: ({ tenant }) => tenant,
    backOff: { baseMs: 20, maxMs: 60_000 },
    clock,
    timers,
  });
  const stop = watchForAdoption(registry, key => queue.add(key));
  const running = Array.from({ length: workers }, () => work(queue, deps, logger));
  return {
    async [Symbol.asyncDispose]() {
      stop();
      await queue.stop('abandon');
      await Promise.all(running);
    },
  };
}

async function work(queue: WorkQueue<AdoptionKey>, deps: AdoptionDeps, logger: Logger): Promise<void> {
  for (let item = await queue.next(); item !== undefined; item = await queue.next()) {
    using current = item;
    const { key } = current;
    try {
      const again = await adopt(deps, key);
      queue.forget(key);
      if (again !== undefined) queue.addAfter(key, again);
    } catch (error) {
      const { code, message } = toError(error);
      if (!isError(error, 'Conflict')) logger.warn('could not adopt an object', { ...key, code, message });
      queue.addRateLimited(key);
    }
  }
}

async function adopt(deps: AdoptionDeps, { table, id }: AdoptionKey): Promise<RequeueAfter> {
  const { registry } = deps;
  switch (table) {
    case 'instances': {
      const row = registry.instances.get(id);
      return row && adoptInstance(deps, row);
    }
    case 'bindings': {
      const row = registry.bindings.get(id);
      return row && adoptBinding(deps, row);
    }
    case 'platforms': {
      const row = registry.platforms.get(id);
      return row && adoptPlatform(deps, row);
    }
  }
}
