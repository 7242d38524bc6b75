import { type LeaseTiming, type LeaseTimingOptions, leaseTiming, pause } from './lease-timing.ts';
import { shardOfKey } from './rendezvous.ts';
import { planShards, type ShardPlan } from './shard-claims.ts';
import { ShardMember, type ShardMemberOptions } from './shard-member.ts';

export interface ShardsOptions extends LeaseTimingOptions, Pick<ShardMemberOptions, 'client'> {
  /** Where the members' leases are. Default `default`. */
  readonly namespace?: string;
  /** What is shared out; also the beginning of the leases' names. */
  readonly group: string;
  /** Unique to this process, also over restarts. */
  readonly identity: string;
  /** Into how many parts the work is cut: the same number in all members. Default 64. */
  readonly shards?: number;
  /** These shards may be worked on from now on: look at all of their keys. Default: nothing. */
  readonly onGained?: (shards: readonly number[]) => void;
  /** Work on these shards has to end; the next owner waits for the returned promise. Default: nothing. */
  readonly onLost?: (shards: readonly number[]) => void | Promise<void>;
  /** Hears of failures, which are tried again. Default: nobody. */
  readonly onError?: (error: unknown) => void;
}

/** A share of the work among all processes of a group. */
export interface Shards extends AsyncDisposable {
  /** The shards that this process owns now, rising. */
  readonly owned: readonly number[];
  /** Whether a key is this process's business now. Fits `filter` of a controller. */
  owns(key: string): boolean;
  start(): void;
  /** Hands over everything and leaves the group. */
  stop(): Promise<void>;
}

/**
 * Shares out shards among the processes of a group. Each keeps a Lease of its own with the shards it claims, and works on a
 * shard only when no living member claims it: a shard that moves is idle until its old owner confirms, or its lease expires.
 */
export function createShards(options: ShardsOptions): Shards {
  return new LeasedShards(options);
}

class LeasedShards implements Shards {
  readonly #options: ShardsOptions;
  readonly #count: number;
  readonly #timing: LeaseTiming;
  readonly #member: ShardMember;
  readonly #stopping = new AbortController();
  readonly #owned = new Set<number>();
  /** Shards whose work is about to end, until it has. */
  readonly #leaving = new Map<number, Promise<void>>();
  #claims: ReadonlySet<number> = new Set();
  /** When the last successful renewal began. */
  #renewedMs = Number.NEGATIVE_INFINITY;
  #cancelWatchdog: () => void = () => undefined;
  #loop: Promise<void> | undefined;

  constructor(options: ShardsOptions) {
    const { client, group, identity, namespace = 'default', shards = 64 } = options;
    this.#options = options;
    this.#count = shards;
    this.#timing = leaseTiming(options);
    this.#member = new ShardMember({ client, group, identity, namespace, timing: this.#timing });
  }

  get owned(): readonly number[] {
    return this.#isOverdue() ? [] : [...this.#owned].sort((a, b) => a - b);
  }

  owns(key: string): boolean {
    return this.#owned.has(shardOfKey(key, this.#count)) && !this.#isOverdue();
  }

  start(): void {
    if (!this.#stopping.signal.aborted) this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    this.#cancelWatchdog();
    this.#letGo([...this.#owned]);
    await Promise.all(this.#leaving.values());
    // Should it fail, others wait until the lease expires.
    await this.#member.remove().catch((error: unknown) => this.#report(error));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const hasMore = await this.#takeTurn();
      // New claims are told at once; what waits for others waits for the next turn.
      if (!hasMore) await pause(this.#timing.timers, this.#timing.retryPeriodMs, signal);
    }
  }

  /** Renews, looks at the others, and moves shards. Answers whether there is something new to tell. */
  async #takeTurn(): Promise<boolean> {
    try {
      if (!(await this.#renew())) return false;
      const others = await this.#member.readOthers();
      const { identity } = this.#options;
      const view = { identity, shards: this.#count, owned: this.#owned, claimed: this.#claims, others };
      return this.#move(planShards(view));
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  async #renew(): Promise<boolean> {
    const startedMs = this.#timing.monotonicMs();
    if (this.#isOverdue()) this.#loseAll();
    const isKept = await this.#member.write(this.#claims);
    if (!isKept) this.#loseAll();
    this.#renewedMs = startedMs;
    this.#watch();
    return !this.#isOverdue();
  }

  #move({ gained, lost, desired }: ShardPlan): boolean {
    if (this.#isOverdue()) return false;
    const taken = gained.filter(shard => !this.#leaving.has(shard));
    for (const shard of taken) this.#owned.add(shard);
    if (taken.length > 0) this.#options.onGained?.(taken);
    this.#letGo(lost);
    const claims = new Set([...this.#owned, ...this.#leaving.keys(), ...desired]);
    const isNew = claims.symmetricDifference(this.#claims).size > 0;
    this.#claims = claims;
    return isNew;
  }

  /** The barrier: a claim is dropped only after the work has ended. */
  #letGo(shards: readonly number[]): void {
    if (shards.length === 0) return;
    const end = async (): Promise<void> => this.#options.onLost?.(shards);
    const ended = end()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        for (const shard of shards) this.#leaving.delete(shard);
      });
    for (const shard of shards) {
      this.#owned.delete(shard);
      this.#leaving.set(shard, ended);
    }
  }

  /** Ends all work when the lease could not be renewed in time, before others may take over. */
  #watch(): void {
    this.#cancelWatchdog();
    const leftMs = this.#renewedMs + this.#timing.renewDeadlineMs - this.#timing.monotonicMs();
    this.#cancelWatchdog = this.#timing.timers.after(leftMs, () => this.#loseAll());
  }

  #loseAll(): void {
    this.#letGo([...this.#owned]);
  }

  #isOverdue(): boolean {
    return this.#timing.monotonicMs() - this.#renewedMs >= this.#timing.renewDeadlineMs;
  }

  #report(error: unknown): void {
    this.#options.onError?.(error);
  }
}
