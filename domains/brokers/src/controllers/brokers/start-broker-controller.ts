import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { type BackOffOptions, createWorkQueue, type Work, type WorkQueue } from '@chandlery/runtime';
import type { BrokerActions } from '../../actions/broker-action-types.ts';
import type { VisibilityActions } from '../../actions/visibility-actions.ts';
import type { InternalBroker } from '../../kinds/index.ts';
import type { Registry } from '../../model/rows.ts';
import type { BrokerSettings } from '../../settings.ts';
import { followSources, type Key, noObservations, type Observations } from './broker-sources.ts';
import { reconcileBroker } from './reconcile-broker.ts';
import type { ReconcileResult } from './reconcile-result.ts';
import { reconcileVisibility } from './reconcile-visibility.ts';

/** How the controller is built. */
export interface BrokerControllerOptions {
  readonly registry: Registry;
  readonly actions: { readonly brokers: BrokerActions; readonly visibilities: VisibilityActions };
  readonly settings: Pick<BrokerSettings, 'catalogIntervalMs'>;
  readonly logger: Logger;
  /** Whose changes of catalog are followed, by the name that `spec.internal` says. Default: none. */
  readonly internalBrokers?: ReadonlyMap<string, Pick<InternalBroker, 'onCatalogChange'>>;
  /** After failures. Default: from a second up to five minutes. */
  readonly backOff?: BackOffOptions;
}

/** A broker that hangs holds one of them for as long as a call may take. */
const workers = 16;
const usualBackOff: BackOffOptions = { baseMs: 1000, maxMs: 300_000 };

/**
 * Applies changes of brokers and visibilities made through the Kubernetes API, refreshes catalogs periodically, and
 * continues asynchronous registrations. One process at a time runs it; its memory is only a cache.
 */
export function startBrokerController(options: BrokerControllerOptions): AsyncDisposable {
  const queue = createWorkQueue<Key>({
    idOf: ({ table, id }) => `${table}/${id}`,
    tenantOf: ({ tenant }) => tenant,
    backOff: options.backOff ?? usualBackOff,
  });
  const observations = noObservations();
  const stop = followSources(options, queue, observations);
  const running = Array.from({ length: workers }, () => workOff(options, queue, observations));
  return {
    async [Symbol.asyncDispose]() {
      stop();
      await queue.stop();
      await Promise.all(running);
    },
  };
}

async function workOff(
  options: BrokerControllerOptions,
  queue: WorkQueue<Key>,
  observations: Observations,
): Promise<void> {
  for (let work = await queue.next(); work !== undefined; work = await queue.next()) {
    using current = work;
    settle(options, queue, { work: current, result: await reconcileSafely(options, observations, current.key) });
  }
}

async function reconcileSafely(
  options: BrokerControllerOptions,
  observations: Observations,
  key: Key,
): Promise<ReconcileResult> {
  try {
    return await reconcile(options, observations, key);
  } catch (error) {
    return { type: 'failed', error };
  }
}

function reconcile(
  { registry, actions, settings }: BrokerControllerOptions,
  observations: Observations,
  key: Key,
): Promise<ReconcileResult> {
  if (key.table === 'visibilities') {
    const lastSettledState = (id: string) => observations.visibilities.get(id);
    return reconcileVisibility({ registry, actions: actions.visibilities, lastSettledState }, key.id);
  }
  return reconcileBroker(
    {
      registry,
      actions: actions.brokers,
      catalogIntervalMs: settings.catalogIntervalMs,
      takeStale: id => observations.stale.delete(id),
      lastSettledState: id => observations.brokers.get(id),
    },
    key.id,
  );
}

interface Outcome {
  readonly work: Work<Key>;
  readonly result: ReconcileResult;
}

function settle({ logger }: BrokerControllerOptions, queue: WorkQueue<Key>, { work: { key }, result }: Outcome): void {
  if (result.type === 'failed') {
    const { table, id, tenant } = key;
    logger.warn('reconcile failed, will retry', { table, id, tenant, code: toError(result.error).code });
    queue.addRateLimited(key);
    return;
  }
  queue.forget(key);
  if (result.type === 'later') queue.addAfter(key, result.delayMs);
}
