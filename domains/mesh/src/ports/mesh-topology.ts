import type { ServiceKey, ServiceName } from '../model/service-name.ts';
import type { ServiceAccountName, TrafficSplit, TrafficTarget } from '../model/topology.ts';
import type { Unsubscribe } from './unsubscribe.ts';

/** What changed in a topology. Only what is named needs to be asked for again. */
export interface TopologyChange {
  /** Services whose traffic is divided anew: roots and backends of splits that changed. */
  readonly services: ReadonlySet<ServiceKey>;
  /** Service accounts (`namespace/name`) that somebody may now call or may not any longer, or that call. */
  readonly accounts: ReadonlySet<string>;
}

/**
 * Knows what policies say of services, by their names. Knows no proxy, and neither addresses nor ports of services: those
 * are in the service directory. Numbers of ports in a TrafficTarget are conditions, as SMI states them.
 */
export interface MeshTopology extends AsyncDisposable {
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  /** Kinds of policies (`plural.group/version`, sorted) that their cluster does not serve: as if there were none. */
  readonly missingKinds: readonly string[];
  /** Everybody may call everybody. */
  readonly isPermissive: boolean;
  listTrafficSplits(): Iterable<TrafficSplit>;
  /** The split of which the service is the root. */
  splitOf(root: ServiceName): TrafficSplit | undefined;
  /** The splits of which the service is a backend. */
  splitsTo(backend: ServiceName): readonly TrafficSplit[];
  listTrafficTargets(): Iterable<TrafficTarget>;
  targetsTo(destination: ServiceAccountName): readonly TrafficTarget[];
  targetsFrom(source: ServiceAccountName): readonly TrafficTarget[];
  subscribe(listener: (change: TopologyChange) => void): Unsubscribe;
}
