import { createRegistry as createGenericRegistry, type RegistryOptions as GenericOptions } from '@chandlery/registry';
import type { Registry } from '../model/rows.ts';
import { brokerFormat } from './broker-tables.ts';
import { withTransitiveResources } from './transitive-resources.ts';

/** How the registry is made. The client is of the logical cluster `brokersCluster`. */
export type RegistryOptions = Pick<
  GenericOptions<typeof brokerFormat.tables>,
  'client' | 'logger' | 'clock' | 'ids' | 'onDamage'
>;

/** Fields whose values many rows have in common. */
const sharedFields = [
  'brokerId',
  'offeringId',
  'planId',
  'platformId',
  'resourceType',
  'state',
  'type',
  'platform',
  'organizationGuid',
  'spaceGuid',
  // As platforms write them in contexts.
  'clusterid',
  'namespace',
  'organization_guid',
  'organization_name',
  'space_guid',
  'space_name',
];

/** Opens the registry, which begins to fill its tables at once. The caller disposes of it. */
export const createRegistry = (options: RegistryOptions): Registry =>
  createGenericRegistry({ ...brokerFormat, ...options, sharedFields, beforeCommit: withTransitiveResources });
