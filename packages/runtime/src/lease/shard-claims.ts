import { memberOfShard } from './rendezvous.ts';

/** What a member says in its lease. */
export interface MemberClaims {
  readonly identity: string;
  /** Shards it works on, or wants to as soon as nobody else does. */
  readonly claims: ReadonlySet<number>;
}

/** What one member knows when it decides. */
export interface ShardView {
  readonly identity: string;
  readonly shards: number;
  /** Shards it works on. */
  readonly owned: ReadonlySet<number>;
  /** What its lease said before it looked at the others. */
  readonly claimed: ReadonlySet<number>;
  /** The other members whose leases have not expired, as they are stored after `claimed` was. */
  readonly others: readonly MemberClaims[];
}

/** What a member does next. */
export interface ShardPlan {
  /** May be worked on from now on. */
  readonly gained: readonly number[];
  /** Must be let go; the claim is dropped only when the work has ended. */
  readonly lost: readonly number[];
  /** Shards that this member should have. */
  readonly desired: ReadonlySet<number>;
}

/**
 * Decides about shards. A shard is gained only when its claim was written before the others' claims were read and none
 * of them has it: of two that claim at the same time at least one sees the other, so there are never two owners.
 */
export function planShards({ identity, shards, owned, claimed, others }: ShardView): ShardPlan {
  const members = [identity, ...others.map(other => other.identity)];
  const all = Array.from({ length: shards }, (_, shard) => shard);
  const desired = new Set(all.filter(shard => memberOfShard(shard, members) === identity));
  const isFree = (shard: number): boolean => !others.some(({ claims }) => claims.has(shard));
  return {
    desired,
    gained: [...desired].filter(shard => !owned.has(shard) && claimed.has(shard) && isFree(shard)),
    lost: [...owned].filter(shard => !desired.has(shard)),
  };
}
