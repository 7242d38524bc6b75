import type { FleetInstance, FleetRollout } from '../kinds/index.ts';
import type { DesiredVersions } from './instance-events.ts';

export type RolloutSpec = FleetRollout['spec'];
export type RolloutStatus = NonNullable<FleetRollout['status']>;

/** How far one instance of the wave is. */
export type RolloutInstanceState =
  | 'pending'
  | 'upgrading'
  | 'upgraded'
  | 'failed'
  | 'skipped'
  | 'reverting'
  | 'reverted';

/** One instance of the wave. */
export interface RolloutInstance {
  readonly state: RolloutInstanceState;
  readonly clusterId: string;
  /** What it should run before. */
  readonly former: DesiredVersions;
  /** When the change of version in progress began. */
  readonly since?: string;
  /** Why it failed or was skipped. */
  readonly reason?: string;
}

export type RolloutInstances = Readonly<Record<string, RolloutInstance>>;

/** What a rollout sees of an instance. */
export type RolloutCandidate = Pick<
  NonNullable<FleetInstance['status']>,
  'state' | 'clusterId' | 'desired' | 'actual' | 'upgrading' | 'failedReason'
> & { readonly id: string };

/** What a rollout is decided by. */
export interface RolloutFacts {
  readonly now: Date;
  /** The present state of an instance; undefined: it no longer exists. */
  find(id: string): RolloutCandidate | undefined;
  /** Ready instances that it covers and that should run other versions, in a stable order; those with a problem last. */
  candidates(): readonly RolloutCandidate[];
  /** What is wrong with moving an instance; undefined: nothing. */
  problemOf(candidate: RolloutCandidate, target: DesiredVersions): string | undefined;
}

/** What becomes of a rollout. */
export interface RolloutDecision {
  readonly status: RolloutStatus;
  /** Instances whose desired versions change. */
  readonly changes: readonly { readonly id: string; readonly desired: DesiredVersions }[];
  /** Set `spec.paused`: a failure stopped it. */
  readonly pause: boolean;
  /** When to decide again although nothing changed. */
  readonly dueAt: Date | undefined;
}
