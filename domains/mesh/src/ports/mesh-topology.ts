import type { ServiceKey, ServiceName } from '../model/service-name.ts';
import type { ServiceAccountName, ServiceGrant, TrafficSplit, TrafficTarget } from '../model/topology.ts';
import type { Unsubscribe } from './unsubscribe.ts';

/** A change of the topology. Only the named services and accounts have to be read again. */
export interface TopologyChange {
  /** Services whose traffic is split differently: roots and backends of changed splits. */
  readonly services: ReadonlySet<ServiceKey>;
  /** Service accounts (`namespace/name`) whose inbound or outbound access has changed. */
  readonly accounts: ReadonlySet<string>;
  /** Accounts that bindings give access to a service, or no longer give, by service. Default: none. */
  readonly grants?: GrantChanges;
}

/** The accounts (`namespace/name`) whose access to a service has changed, by service. */
export type GrantChanges = ReadonlyMap<ServiceKey, ReadonlySet<string>>;

/** The access that bindings of service instances give. */
export interface BindingGrants {
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  /** Sorted by source. */
  grantsTo(service: ServiceName): readonly ServiceGrant[];
  /** Calls the listener after reads show the changes. */
  subscribe(listener: (changes: GrantChanges) => void): Unsubscribe;
}

/** For meshes without instances. */
export const noGrants: BindingGrants = {
  synced: Promise.resolve(),
  isSynced: true,
  grantsTo: () => [],
  subscribe: () => () => undefined,
};

/**
 * The policies of a mesh, by names of services. It has no awareness of proxies, addresses and ports: the service
 * directory has them. Port numbers in a TrafficTarget are conditions, as in SMI.
 */
export interface MeshTopology extends AsyncDisposable {
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  /** Kinds of policies (`plural.group/version`, sorted) that the cluster does not serve; they count as empty. */
  readonly missingKinds: readonly string[];
  /** Whether all service accounts may call all others. */
  readonly isPermissive: boolean;
  listTrafficSplits(): Iterable<TrafficSplit>;
  /** The split whose root is the service. */
  splitOf(root: ServiceName): TrafficSplit | undefined;
  /** The splits that have the service as a backend. */
  splitsTo(backend: ServiceName): readonly TrafficSplit[];
  listTrafficTargets(): Iterable<TrafficTarget>;
  targetsTo(destination: ServiceAccountName): readonly TrafficTarget[];
  targetsFrom(source: ServiceAccountName): readonly TrafficTarget[];
  /** The access to single services that bindings of service instances give, besides the targets. */
  grantsTo(service: ServiceName): readonly ServiceGrant[];
  subscribe(listener: (change: TopologyChange) => void): Unsubscribe;
}
