import type { JsonObject } from '@chandlery/api';
import { notFound, smError } from '../../../errors.ts';
import { ownPlatformId } from '../../../kinds/index.ts';
import { createOsbClient } from '../../../osb-client/osb-client.ts';
import type { SmRequest } from '../resource-handler.ts';
import type { CatalogPlace } from '../resources/instances/check-change.ts';
import type { InstanceDeps } from './instance-deps.ts';

/** What is fetched. */
export interface FetchTarget {
  readonly place: CatalogPlace;
  /** The instance as the broker knows it. */
  readonly instanceId: string;
  /** Default: the instance itself. */
  readonly bindingId?: string;
}

/** An instance or a binding as its broker knows it now. Throws the broker's refusal or failure. */
export async function fetchFromBroker(
  deps: InstanceDeps,
  request: SmRequest,
  { place, instanceId, bindingId }: FetchTarget,
): Promise<JsonObject> {
  const client = await clientFor(deps, request, place);
  const ids = { service_id: place.offering.spec.catalogId, plan_id: place.plan.spec.catalogId };
  const outcome = await (bindingId === undefined
    ? client.fetchInstance({ instanceId, ...ids })
    : client.fetchBinding({ instanceId, bindingId, ...ids }));
  if (outcome.type === 'succeeded') return outcome.body;
  if (outcome.type === 'failed' || outcome.type === 'retry') throw outcome.error;
  throw smError('BrokerError', 'the broker is still working on it', { isRetryable: true });
}

async function clientFor({ registry, connections }: InstanceDeps, request: SmRequest, { plan }: CatalogPlace) {
  const broker = registry.brokers.get(plan.spec.brokerId);
  if (broker === undefined) throw notFound('service broker');
  const { correlationId, signal, tenant } = request;
  const caller = { tenant, platformId: ownPlatformId };
  return createOsbClient(await connections.of(broker), { broker, correlationId, signal, caller });
}
