import type { Logger } from '@chandlery/platform';
import { traceparentOfRow } from '@chandlery/registry';
import {
  type BackOffOptions,
  type ControllerMetrics,
  createWorkQueue,
  runWorkers,
  type WorkResult,
} from '@chandlery/runtime';
import type { BrokerActions } from '../../actions/broker-action-types.ts';
import type { VisibilityActions } from '../../actions/visibility-actions.ts';
import type { InternalBroker } from '../../kinds/index.ts';
import type { Registry } from '../../model/rows.ts';
import type { BrokerSettings } from '../../settings.ts';
import { followSources, type Key, noObservations, type Observations } from './broker-sources.ts';
import { reconcileBroker } from './reconcile-broker.ts';
import { reconcileVisibility } from './reconcile-visibility.ts';

/** How the controller is built. */
export interface BrokerControllerOptions {
  readonly registry: Registry;
  readonly actions: { readonly brokers: BrokerActions; readonly visibilities: VisibilityActions };
  readonly settings: Pick<BrokerSettings, 'catalogIntervalMs'>;
  readonly logger: Logger;
  /** Default: nothing is measured and traced. */
  readonly metrics?: ControllerMetrics | undefined;
  /** Whose changes of catalog are followed, by the name that `spec.internal` says. Default: none. */
  readonly internalBrokers?: ReadonlyMap<string, Pick<InternalBroker, 'onCatalogChange'>>;
  /** After failures. Default: from a second up to five minutes. */
  readonly backOff?: BackOffOptions;
}

const queueName = 'brokers-registrations';

/** A broker that hangs holds one of them for as long as a call may take. */
const concurrency = 16;
const usualBackOff: BackOffOptions = { baseMs: 1000, maxMs: 300_000 };

/**
 * Applies changes of brokers and visibilities made through the Kubernetes API, refreshes catalogs periodically, and
 * continues asynchronous registrations. One process at a time runs it; its memory is only a cache.
 */
export function startBrokerController(options: BrokerControllerOptions): AsyncDisposable {
  const { metrics, registry } = options;
  const queue = createWorkQueue<Key>({
    idOf: ({ table, id }) => `${table}/${id}`,
    tenantOf: ({ tenant }) => tenant,
    backOff: options.backOff ?? usualBackOff,
    ...(metrics && { observer: metrics.observeQueue(queueName) }),
  });
  const observations = noObservations();
  const stopSources = followSources(options, queue, observations);
  const running = runWorkers({
    name: queueName,
    queue,
    concurrency,
    tracer: metrics?.tracer,
    traceparentOf: ({ table, id }) => traceparentOfRow(registry[table].get(id)),
    work: key => reconcile(options, observations, key),
    onFailure: ({ key: { table, id, tenant }, error: { code, message: why } }) =>
      options.logger.warn('reconcile failed, will retry', { table, id, tenant, code, why }),
  });
  return {
    async [Symbol.asyncDispose]() {
      stopSources();
      await running[Symbol.asyncDispose]();
    },
  };
}

function reconcile(
  { registry, actions, settings }: BrokerControllerOptions,
  observations: Observations,
  key: Key,
): Promise<WorkResult> {
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
