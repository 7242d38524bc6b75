import { toError } from '@chandlery/api';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import { createWorkQueue, systemTimers, type Timers, type WorkQueue } from '@chandlery/runtime';
import type { ContextSigner } from '../../model/osb/context-signature.ts';
import type { OperationRow, Registry } from '../../model/rows.ts';
import type { BrokerConnections } from '../../ports.ts';
import type { BrokerSettings } from '../../settings.ts';
import type { EngineDeps } from './engine-deps.ts';
import { openOperations, startOperationTriggers } from './operation-triggers.ts';
import { reconcileOperation } from './reconcile-operation.ts';

/** What the engine is made from. */
export interface OperationEngineOptions {
  readonly registry: Registry;
  readonly connections: BrokerConnections;
  readonly settings: BrokerSettings;
  /** Default: contexts go unsigned. */
  readonly signer?: ContextSigner | undefined;
  readonly logger: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** How many operations are worked on at a time. Default 64. */
  readonly concurrency?: number;
  /** How long calls that are under way may take when the engine stops. Default 5,000. */
  readonly graceMs?: number;
}

/** An operation in the queue. */
interface Key {
  readonly id: string;
  readonly tenant: string;
}

/**
 * Executes operations on instances and bindings, and cascades of deletions. The registry must be synced, and only one
 * engine may run at a time. All state is in the rows, so another engine can continue at any point.
 */
export function startOperationEngine(options: OperationEngineOptions): AsyncDisposable {
  const { registry, connections, settings, signer, logger, clock = systemClock, timers = systemTimers } = options;
  const { concurrency = 64, graceMs = 5000 } = options;
  const stopping = new AbortController();
  const queue = createWorkQueue<Key>({
    idOf: key => key.id,
    tenantOf: key => key.tenant,
    backOff: { baseMs: 100, maxMs: 60_000 },
    clock,
    timers,
  });
  const inherited = new Set(openOperations(registry).map(({ id }) => id));
  const triggers = startOperationTriggers(registry, operation => queue.add(keyOf(operation)));
  const deps: EngineDeps = {
    registry,
    connections,
    settings,
    signer,
    logger,
    clock,
    signal: stopping.signal,
    isInherited: ({ id }) => inherited.has(id),
    openChildren: operation => triggers.openChildren(operation),
  };
  const workers = Array.from({ length: concurrency }, () => work(queue, deps));
  return {
    async [Symbol.asyncDispose]() {
      triggers[Symbol.dispose]();
      const cancel = timers.after(graceMs, () => stopping.abort());
      await queue.stop('abandon');
      cancel();
      await Promise.all(workers);
    },
  };
}

const keyOf = ({ id, tenant }: OperationRow): Key => ({ id, tenant });

async function work(queue: WorkQueue<Key>, deps: EngineDeps): Promise<void> {
  for (let item = await queue.next(); item !== undefined; item = await queue.next()) {
    using current = item;
    await drive(queue, deps, current.key);
  }
}

/** A failure here is ours (a commit that was not possible): the broker is asked again, which it must stand. */
async function drive(queue: WorkQueue<Key>, deps: EngineDeps, key: Key): Promise<void> {
  try {
    const delayMs = await reconcileOperation(deps, key.id);
    queue.forget(key);
    if (delayMs !== undefined) queue.addAfter(key, delayMs);
  } catch (error) {
    if (deps.signal.aborted) return;
    const { code, message } = toError(error);
    deps.logger.error('could not reconcile an operation', { operation: key.id, code, message });
    queue.addRateLimited(key);
  }
}
