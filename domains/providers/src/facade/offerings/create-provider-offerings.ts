import type { InternalBroker } from '@chandlery/brokers/kinds';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { catalogOf } from '../../model/offerings/catalog-of.ts';
import { progressOf } from '../../model/offerings/progress-of.ts';
import { bindInstance } from './bind-instance.ts';
import { CatalogWatch } from './catalog-watch.ts';
import { deprovisionInstance } from './deprovision-instance.ts';
import { findInstance } from './instance-objects.ts';
import { ObjectWatch } from './object-watch.ts';
import { provisionInstance } from './provision-instance.ts';
import { readOffers } from './read-offers.ts';
import { updateInstance } from './update-instance.ts';

export interface ProviderOfferingsOptions {
  /** The cluster with ServiceProviders and their configurations. */
  readonly platform: Client;
  /** The cluster with the tenants' objects. */
  readonly onboarding: Client;
  readonly logger: Logger;
}

/**
 * The services of providers as an internal broker of the service manager: an instance is an object of the provider's
 * kind, its conditions report the progress, and its connection Secret has the credentials. Clients stay the caller's.
 *
 * Credentials belong to the instance: all its bindings have the same, and unbinding revokes nothing.
 */
export function createProviderOfferings(options: ProviderOfferingsOptions): InternalBroker & AsyncDisposable {
  const watch = new CatalogWatch(options);
  const onCatalogChange = (changed: () => void): (() => void) => watch.listen(changed);
  const objects = new ObjectWatch({ ...options, onCatalogChange });
  return {
    catalog: async () => catalogOf((await readOffers(options)).offers),
    onCatalogChange,
    objects,
    provision: instance => provisionInstance(options, instance),
    update: (instance, change, how) => updateInstance(options, { instance, change, ...how }),
    deprovision: (id, how) => deprovisionInstance(options, id, how),
    progress: async id => progressOf((await findInstance(options, id))?.object),
    bind: instanceId => bindInstance(options, instanceId),
    credentials: instanceId => bindInstance(options, instanceId),
    unbind: async () => undefined,
    parameters: async id => {
      const found = await findInstance(options, id);
      return found && (found.object.spec ?? {});
    },
    async [Symbol.asyncDispose]() {
      await objects[Symbol.asyncDispose]();
      await watch[Symbol.asyncDispose]();
    },
  };
}
