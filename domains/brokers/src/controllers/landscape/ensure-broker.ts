import { isError } from '@chandlery/api';
import type { BrokerActions } from '../../actions/broker-action-types.ts';
import { globalTenant, type InternalBroker, internalNameOf, landscapeBrokerId } from '../../kinds/index.ts';
import type { BrokerRow, Registry } from '../../model/rows.ts';

/** What the brokers of the landscape are made from. */
export interface EnsureBrokerDeps {
  readonly registry: Registry;
  readonly actions: BrokerActions;
}

/** A source, and whose catalog of it. */
export interface SourceCatalog {
  readonly name: string;
  readonly source: Pick<InternalBroker, 'catalog'>;
  readonly tenant: string;
}

/**
 * Makes the broker that the landscape has for a source as soon as there is something to offer, and removes it when there
 * is nothing left. Changes of its catalog in between are the broker controller's.
 */
export async function ensureBroker({ registry, actions }: EnsureBrokerDeps, wanted: SourceCatalog): Promise<void> {
  const { name, source, tenant } = wanted;
  const internal = internalNameOf(name, tenant);
  const id = landscapeBrokerId(internal);
  const broker = registry.brokers.get(id);
  const isEmpty = (await source.catalog(tenant)).length === 0;
  if (broker !== undefined) return isEmpty ? removeUnused(actions, broker) : undefined;
  if (isEmpty) return;
  const registration = { id, tenant, internal, name: `landscape-${name}`, description: descriptionOf(name, tenant) };
  try {
    await actions.register({ ...registration, credentials: {}, correlationId: registry.newId() });
  } catch (error) {
    // The namespace of the tenant is being deleted, or no longer exists.
    if (!isError(error, 'Forbidden', 'NotFound')) throw error;
  }
}

/** A broker whose last offering was removed goes with it, unless instances remain. */
async function removeUnused(actions: BrokerActions, broker: BrokerRow): Promise<void> {
  try {
    await actions.remove(broker);
  } catch (error) {
    if (!isError(error, 'ExistingReferenceEntity', 'NotFound')) throw error;
  }
}

const descriptionOf = (name: string, tenant: string): string =>
  tenant === globalTenant ? `What the landscape itself offers: ${name}.` : `What the tenant ${tenant} offers: ${name}.`;
