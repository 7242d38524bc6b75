import type { AtomicClient } from '@chandlery/client';
import { type Clock, type Logger, silentLogger, systemClock } from '@chandlery/platform';
import { createRegistry, type Registry, type RegistryWrite } from '@chandlery/registry';
import { fleetFinalizer, fleetManagedLabel } from '../kinds/index.ts';
import { createFleetIds } from '../model/fleet-ids.ts';
import { Configurations } from './configurations.ts';
import { type FleetRows, fleetTables } from './fleet-tables.ts';
import { OpenClusters } from './open-clusters.ts';
import { UnitLedger } from './unit-ledger.ts';

export { type ConfiguredProduct, documentOf } from './configurations.ts';
export {
  type AuditRow,
  type ClusterRow,
  checkRow,
  createRow,
  type InstanceRow,
  indexTerm,
  type ProductRow,
  type RecordRow,
  type RolloutRow,
  removeRow,
  updateRow,
} from './fleet-tables.ts';

/** One part of a commit. */
export type FleetWrite = RegistryWrite<FleetRows>;

/** Everything that the fleet manager knows, and the one way to change it. */
export interface FleetRegistry extends Registry<typeof fleetTables> {
  /** Who occupies which units, and how many instances are in which state. */
  readonly ledger: UnitLedger;
  readonly openClusters: OpenClusters;
  readonly configurations: Configurations;
  /** A new id of an instance: 20 characters, ordered by time. */
  newFleetId(): string;
}

export interface FleetRegistryOptions {
  /** Of the logical cluster `fleetCluster`. Not disposed of by the registry. */
  readonly client: AtomicClient;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Called when a stored object is damaged, so that a table cannot be filled. Default: nothing is called. */
  readonly onDamage?: () => void;
}

/** Opens the registry, which begins to fill its tables at once. The caller disposes of it. */
export function createFleetRegistry(options: FleetRegistryOptions): FleetRegistry {
  const { clock = systemClock, logger = silentLogger } = options;
  const registry = createRegistry({
    ...options,
    tables: fleetTables,
    finalizer: fleetFinalizer,
    managedLabel: fleetManagedLabel,
    owner: 'the fleet manager',
    sharedFields: [
      'product',
      'organisation',
      'cloudProvider',
      'region',
      'instanceType',
      'sizeId',
      'state',
      'clusterId',
    ],
  });
  const ledger = new UnitLedger();
  registry.instances.listen(ledger.onChange);
  const openClusters = new OpenClusters({ clusters: registry.clusters, instances: registry.instances, ledger });
  const configurations = new Configurations({
    getProduct: id => registry.products.get(id),
    readSecret: (tenant, name) => registry.readSecret(tenant, name),
    logger,
  });
  return { ...registry, ledger, openClusters, configurations, newFleetId: createFleetIds(clock) };
}
