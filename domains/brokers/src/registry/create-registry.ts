import type { ObjectOf } from '@chandlery/api';
import {
  type AnyTableDefinition,
  createRegistry as createGenericRegistry,
  type RegistryOptions as GenericOptions,
  type RowFormat,
  type SecretOwnership,
  type TableDefinition,
} from '@chandlery/registry';
import { smError } from '../errors.ts';
import {
  brokerKinds,
  brokersFinalizer,
  idOfName,
  meshLabelsOfBinding,
  meshLabelsOfInstance,
  nameOfId,
} from '../kinds/index.ts';
import type { AllIndexesOf, Registry, TableName } from '../model/rows.ts';
import { isEmbedding, showEmbedded } from './embedded-operation.ts';
import { indexesOf } from './table-indexes.ts';
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

type BrokerTables = {
  readonly [T in TableName]: TableDefinition<ObjectOf<(typeof brokerKinds)[T]>, AllIndexesOf[T]>;
};

/** Tables whose rows must not vanish by a plain delete: something else has to be ended with them. */
const heldTables: ReadonlySet<TableName> = new Set(['platforms', 'brokers', 'visibilities', 'instances', 'bindings']);

const tableNames = Object.keys(brokerKinds) as TableName[];

const definitionOf = (name: TableName): AnyTableDefinition => ({
  kind: brokerKinds[name],
  indexes: indexesOf(name),
  isHeld: heldTables.has(name),
  ...(name === 'instances' && { labels: meshLabelsOfInstance }),
  ...(name === 'bindings' && { labels: meshLabelsOfBinding }),
  ...(isEmbedding(name) && {
    mirror: { into: 'operations', show: (operations, change) => showEmbedded(operations, name, change) },
  }),
});

/** How the rows of the domain and its Secrets are stored. */
export const brokerFormat = {
  // Each table has the kind and the indexes of its own name, which types cannot say of a loop.
  tables: Object.fromEntries(tableNames.map(name => [name, definitionOf(name)])) as unknown as BrokerTables,
  finalizer: brokersFinalizer,
  nameOfId,
  idOfName,
  managedLabel: 'brokers.chandlery.io/managed',
  owner: 'the service manager',
  secretTakenError: message => smError('Conflict', message),
} satisfies RowFormat & SecretOwnership;
