import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { type BackOffOptions, createWorkQueue, type Work, type WorkQueue } from '@chandlery/runtime';
import type { BrokerActions } from '../../actions/broker-action-types.ts';
import type { VisibilityActions } from '../../actions/visibility-actions.ts';
import type { InternalBroker } from '../../kinds/index.ts';
import type { Registry } from '../../model/rows.ts';
import type { BrokerSettings } from '../../settings.ts';
import { followSources, type Heard, type Key, nothingHeard } from './broker-sources.ts';
import { passBroker } from './reconcile-broker.ts';
import type { PassResult } from './reconcile-result.ts';
import { passVisibility } from './reconcile-visibility.ts';

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
 * Takes over what is done to brokers and visibilities by hand (kubectl), fetches catalogs now and then, and goes on with
 * registrations that somebody began. One process at a time runs it; what it keeps another can do without.
 */
export function startBrokerController(options: BrokerControllerOptions): AsyncDisposable {
  const queue = createWorkQueue<Key>({
    idOf: ({ table, id }) => `${table}/${id}`,
    tenantOf: ({ tenant }) => tenant,
    backOff: options.backOff ?? usualBackOff,
  });
  const heard = nothingHeard();
  const stop = followSources(options, queue, heard);
  const running = Array.from({ length: workers }, () => workOff(options, queue, heard));
  return {
    async [Symbol.asyncDispose]() {
      stop();
      await queue.stop();
      await Promise.all(running);
    },
  };
}

async function workOff(options: BrokerControllerOptions, queue: WorkQueue<Key>, heard: Heard): Promise<void> {
  for (let work = await queue.next(); work !== undefined; work = await queue.next()) {
    using current = work;
    settle(options, queue, { work: current, result: await passSafely(options, heard, current.key) });
  }
}

async function passSafely(options: BrokerControllerOptions, heard: Heard, key: Key): Promise<PassResult> {
  try {
    return await pass(options, heard, key);
  } catch (error) {
    return { type: 'failed', error };
  }
}

function pass({ registry, actions, settings }: BrokerControllerOptions, heard: Heard, key: Key): Promise<PassResult> {
  if (key.table === 'visibilities') {
    const knownState = (id: string) => heard.visibilities.get(id);
    return passVisibility({ registry, actions: actions.visibilities, knownState }, key.id);
  }
  return passBroker(
    {
      registry,
      actions: actions.brokers,
      catalogIntervalMs: settings.catalogIntervalMs,
      takeStale: id => heard.stale.delete(id),
      knownState: id => heard.brokers.get(id),
    },
    key.id,
  );
}

interface Outcome {
  readonly work: Work<Key>;
  readonly result: PassResult;
}

function settle({ logger }: BrokerControllerOptions, queue: WorkQueue<Key>, { work: { key }, result }: Outcome): void {
  if (result.type === 'failed') {
    const { table, id, tenant } = key;
    logger.warn('change not taken over yet', { table, id, tenant, code: toError(result.error).code });
    queue.addRateLimited(key);
    return;
  }
  queue.forget(key);
  if (result.type === 'later') queue.addAfter(key, result.delayMs);
}
