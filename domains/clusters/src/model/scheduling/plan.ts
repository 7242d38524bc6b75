import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterProfile } from '../../kinds/cluster-profile.ts';

/** What the scheduler knows of the world: caches that may be behind. All lookups are by index. */
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

/** Where randomness comes from. */
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

/** What the scheduler writes of a cluster that exists, bound to the version that the decision rests on. */
export interface HoldMetadata {
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What to do for a request. */
export type Plan =
  /** The cluster is held and as it should be. */
  | { readonly type: 'grant'; readonly cluster: Cluster }
  /** The cluster exists: write its metadata, then grant it. */
  | {
      readonly type: 'hold';
      readonly cluster: Cluster;
      readonly metadata: HoldMetadata;
      /** Holders that seem to be gone and lose their finalizers; to be made sure of before. */
      readonly orphans: readonly string[];
    }
  /** Create the cluster, held from its first moment, then grant it. */
  | { readonly type: 'create'; readonly cluster: Cluster }
  /** Something must happen first that is under way or that an operator has to do. */
  | ({ readonly type: 'wait' } & Obstacle)
  /** As things are, the request gets no cluster. */
  | ({ readonly type: 'deny' } & Obstacle);

/** What to do for a request that is being deleted. */
export type ReleasePlan =
  /** Its last request: delete it while it is still held, so that a crash in between forgets nothing. */
  | { readonly type: 'delete'; readonly cluster: Cluster }
  | { readonly type: 'let-go'; readonly cluster: Cluster; readonly finalizers: readonly string[] }
  /** The cluster is going, and the request wants to see it gone. */
  | { readonly type: 'wait'; readonly cluster: Cluster }
  | { readonly type: 'done' };
