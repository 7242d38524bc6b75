import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import { traceparentOfRow } from '@chandlery/registry';
import { type ControllerMetrics, createWorkQueue, runWorkers, systemTimers, type Timers } from '@chandlery/runtime';
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
  /** Default: nothing is measured and traced. */
  readonly metrics?: ControllerMetrics | undefined;
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
  const { concurrency = 64, graceMs = 5000, metrics } = options;
  const queue = createWorkQueue<Key>({
    idOf: key => key.id,
    tenantOf: key => key.tenant,
    backOff: { baseMs: 100, maxMs: 60_000 },
    ...(metrics && { observer: metrics.observeQueue(queueName) }),
    clock,
    timers,
  });
  const inherited = new Set(openOperations(registry).map(({ id }) => id));
  const triggers = startOperationTriggers(registry, operation => queue.add(keyOf(operation)));
  const deps: Omit<EngineDeps, 'signal'> = {
    registry,
    connections,
    settings,
    signer,
    logger,
    clock,
    isInherited: ({ id }) => inherited.has(id),
    openChildren: operation => triggers.openChildren(operation),
  };
  const workers = runWorkers({
    name: queueName,
    queue,
    concurrency,
    graceMs,
    timers,
    tracer: metrics?.tracer,
    traceparentOf: ({ id }) => traceparentOfRow(registry.operations.get(id)),
    work: ({ id }, { signal }) => reconcileOperation({ ...deps, signal }, id),
    // A failure is ours, such as a commit that was not possible. Brokers must accept repeated requests.
    onFailure: ({ key, error: { code, message } }) =>
      logger.error('could not reconcile an operation', { operation: key.id, code, message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      triggers[Symbol.dispose]();
      await workers[Symbol.asyncDispose]();
    },
  };
}

const queueName = 'brokers-operations';

const keyOf = ({ id, tenant }: OperationRow): Key => ({ id, tenant });
