import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import type { OsbOutcome } from '../../model/outcomes/osb-outcome.ts';
import { createOsbClient } from '../../osb-client/osb-client.ts';
import type { BrokerConnections } from '../../ports.ts';
import type { BrokerSettings } from '../../settings.ts';
import { nameOf } from './broker-response.ts';
import type { Orphan } from './orphan.ts';
import type { OsbCoalescers } from './request-coalescer.ts';

/** Deletes orphans in the background. */
export interface Mitigation extends Disposable {
  remove(orphan: Orphan): void;
}

/** What deletion needs from the world. */
interface MitigationDeps {
  readonly connections: BrokerConnections;
  readonly coalescers: OsbCoalescers;
  readonly settings: Pick<
    BrokerSettings,
    'mitigationIntervalMs' | 'mitigationLongIntervalMs' | 'reconciliationTimeoutMs'
  >;
  readonly logger: Logger;
}

/**
 * Attempts continue with back-off until the broker says that there is nothing (any more) or refuses for good. They
 * are not written down: the platform was answered with an error by which it cleans up as well, and this is the second belt.
 */
export function createMitigation(deps: MitigationDeps): Mitigation {
  const stop = new AbortController();
  return {
    remove: orphan => {
      void removeOrphan(deps, orphan, stop.signal).catch(error => {
        if (!stop.signal.aborted) deps.logger.error('orphan mitigation failed', { ...named(orphan), error });
      });
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}

async function removeOrphan(deps: MitigationDeps, orphan: Orphan, signal: AbortSignal): Promise<void> {
  const { settings, logger } = deps;
  const endsAtMs = performance.now() + settings.reconciliationTimeoutMs;
  let delayMs = settings.mitigationIntervalMs;
  while (!signal.aborted) {
    const removal = await tryRemoval(deps, orphan, signal);
    if (removal === 'gone') return logger.info('orphan removed', named(orphan));
    if (removal === 'known') return;
    if (removal === 'rejected' || performance.now() + delayMs > endsAtMs) {
      return logger.error('orphan mitigation gave up; manual cleanup required', named(orphan));
    }
    await sleep(delayMs, undefined, { signal, ref: false });
    delayMs = Math.min(delayMs * 2, settings.mitigationLongIntervalMs);
  }
}

type Removal = 'gone' | 'known' | 'rejected' | 'later';

/** One attempt, exclusive for the id: a concurrent creation of the same id is rejected as busy. */
async function tryRemoval(deps: MitigationDeps, orphan: Orphan, signal: AbortSignal): Promise<Removal> {
  try {
    const { instanceId, bindingId } = orphan;
    const coalescers = bindingId === undefined ? deps.coalescers.instances : deps.coalescers.bindings;
    return await coalescers.run(bindingId ?? instanceId, 'mitigation', async () =>
      orphan.isKnown() ? 'known' : removalOf(await askForRemoval(deps, orphan, signal)),
    );
  } catch (error) {
    if (isError(error, 'ConcurrencyError')) return 'later';
    throw error;
  }
}

/** Sends no originating identity, because no user requested the deletion. */
async function askForRemoval(deps: MitigationDeps, orphan: Orphan, signal: AbortSignal): Promise<OsbOutcome> {
  const { broker, caller, correlationId, instanceId, bindingId, names } = orphan;
  const connection = await deps.connections.of(broker);
  const client = createOsbClient(connection, { broker, correlationId, signal, caller });
  const request = { instanceId, service_id: names.serviceId, plan_id: names.planId, acceptsIncomplete: true };
  return bindingId === undefined ? client.deprovision(request) : client.unbind({ ...request, bindingId });
}

/** A 4xx response is final, except a timeout, a rate limit, or 404. */
function removalOf(outcome: OsbOutcome): Removal {
  if (outcome.type === 'succeeded' || outcome.type === 'accepted') return 'gone';
  if (outcome.type !== 'failed') return 'later';
  const { brokerStatus = 500 } = outcome.error.facts;
  if (brokerStatus === 404) return 'gone';
  return brokerStatus < 400 || brokerStatus >= 500 || brokerStatus === 408 || brokerStatus === 429
    ? 'later'
    : 'rejected';
}

const named = ({ broker, instanceId, bindingId, correlationId }: Orphan) => ({
  broker: nameOf(broker),
  instanceId,
  ...(bindingId === undefined ? {} : { bindingId }),
  correlationId,
});
