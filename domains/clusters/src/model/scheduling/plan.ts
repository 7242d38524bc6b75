import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';

/** The observed state for decisions: caches that may be stale. All lookups are by index. */
export interface SchedulingView {
  at(place: { readonly namespace: string; readonly name: string }): Cluster | undefined;
  /** Clusters that carry the finalizer of a request. */
  heldBy(requestUid: string): readonly Cluster[];
  withPurpose(purpose: string): readonly Cluster[];
  /** The ClusterProfile of this name. */
  profile(name: string): ClusterProfile | undefined;
  /** Whether there is a request of this uid. */
  isAlive(requestUid: string): boolean;
}

/** The source of randomness. */
export interface Chance {
  /** From 0 up to but not 1. */
  readonly random: () => number;
  /** A few letters and digits. */
  readonly suffix: () => string;
}

/** Why a request has no cluster. */
export interface Obstacle {
  /** CamelCase. */
  readonly reason: 'ConfigurationProblem' | 'ClusterConflict' | 'WaitingForClusterDeletion' | 'CapabilityMissing';
  readonly message: string;
}

/** The metadata that the scheduler writes to an existing cluster, bound to the version that was read. */
export interface HoldMetadata {
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The plan for a request. */
export type Plan =
  /** The cluster is held and as it should be. */
  | { readonly type: 'grant'; readonly cluster: Cluster }
  /** The cluster exists: write its metadata, then grant it. */
  | {
      readonly type: 'hold';
      readonly cluster: Cluster;
      readonly metadata: HoldMetadata;
      /** Holders that seem to be deleted and lose their finalizers; to be verified before. */
      readonly orphans: readonly string[];
    }
  /** Create the cluster, held from its first moment, then grant it. */
  | { readonly type: 'create'; readonly cluster: Cluster }
  /** Something must happen first, which is in progress or which an operator has to do. */
  | ({ readonly type: 'wait' } & Obstacle)
  /** The request gets no cluster in the current state. */
  | ({ readonly type: 'deny' } & Obstacle);

/** The plan for a request that is being deleted. */
export type ReleasePlan =
  /** The last request of a cluster: it is deleted while it is still held, so that a crash in between loses nothing. */
  | { readonly type: 'delete'; readonly cluster: Cluster }
  | { readonly type: 'let-go'; readonly cluster: Cluster; readonly finalizers: readonly string[] }
  /** The cluster is being deleted, and the request waits for that. */
  | { readonly type: 'wait'; readonly cluster: Cluster }
  | { readonly type: 'done' };
