import type { Clock, Logger } from '@chandlery/platform';
import type { Table } from '@chandlery/registry';
import type { RegionAndType } from '../../actions/available-sizes.ts';
import type { ConfiguredProduct, FleetActions } from '../../actions/fleet-actions.ts';
import type { OperatorActions } from '../../actions/operator-actions.ts';
import type { MetricsRecorder, MetricsSource } from '../../ports.ts';
import type { AuditRow, ClusterRow, InstanceRow } from '../../registry/fleet-registry.ts';

/** The products that are offered now. */
export interface ProductCatalog {
  find(id: string): ConfiguredProduct | undefined;
  all(): Iterable<ConfiguredProduct>;
}

/** The tables that handlers read. */
export interface FacadeTables {
  readonly instances: Table<InstanceRow, 'product' | 'organisation' | 'cluster'>;
  readonly clusters: Table<ClusterRow, 'product'>;
  readonly auditEntries: Table<AuditRow, 'product'>;
  /** Reads the data of a Secret; undefined when there is none. */
  readSecret(namespace: string, name: string): Promise<Readonly<Record<string, string>> | undefined>;
}

/** What fits where, now. */
export interface FleetCapacity {
  /** The ids of the sizes of an instance type that a region has room for. */
  availableSizes(product: ConfiguredProduct, place: RegionAndType): readonly string[];
}

/** What is put into force by a configuration document. */
export interface ConfigureResult {
  readonly product: string;
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}

/** What operators of the landscape do with products. */
export interface FleetConfigurator {
  /** Validates a document and puts it into force, atomically. Rejects with `FleetError`. */
  configure(document: unknown, username: string): Promise<ConfigureResult>;
  /** The document in force, without secrets; undefined for a product that does not exist. */
  documentOf(product: string): object | undefined;
}

/** For whom operators want a token. */
export interface TokenOrder {
  readonly username: string;
  readonly organisation: string | undefined;
  readonly accountId: string | undefined;
  readonly isOrganisationAdmin: boolean;
  readonly roles: readonly string[];
  readonly clusterId: string | undefined;
  /** Undefined: as long as the issuer decides. */
  readonly expirationSeconds: number | undefined;
}

/** The landscape's own issuer of tokens for the fleet manager. */
export interface LandscapeTokens {
  readonly issuer: string;
  issue(order: TokenOrder): { readonly token: string; readonly expirationTimestamp: string };
}

/** What handlers work with. */
export interface HandlerDeps {
  readonly tables: FacadeTables;
  readonly products: ProductCatalog;
  readonly actions: FleetActions;
  readonly operatorActions: OperatorActions;
  readonly capacity: FleetCapacity;
  readonly configurator: FleetConfigurator;
  readonly landscapeTokens: LandscapeTokens;
  readonly metricsOf: (product: ConfiguredProduct) => MetricsSource;
  /** Keeps what agents measure; undefined for a product whose metrics come from elsewhere. */
  readonly recordMetrics: (product: ConfiguredProduct) => Pick<MetricsRecorder, 'record'> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}
