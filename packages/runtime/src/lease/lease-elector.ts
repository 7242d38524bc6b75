import { isError, isSameJson } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { pause } from '../queue/timers.ts';
import { type FencingToken, fencingToken } from './fencing-token.ts';
import {
  type Claimant,
  claimedSpec,
  isHeldByOther,
  type Lease,
  leaseRef,
  newLease,
  type ObservedLease,
  releasedSpec,
} from './lease-record.ts';
import { jitteredPeriodMs, type LeaseTiming, type LeaseTimingOptions, leaseTiming } from './lease-timing.ts';

/** The time during which this process holds the lease. */
export interface Leadership {
  readonly token: FencingToken;
  /** Aborted when the lease is lost, is about to be lost, or is released: before another process can take it. */
  readonly signal: AbortSignal;
}

export interface LeaseElectorOptions extends LeaseTimingOptions {
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process, also over restarts. */
  readonly identity: string;
  /**
   * Identities of processes that have certainly ended, such as earlier ones on the same data folder: what they hold is taken
   * at once, under a new fencing token. Default none.
   */
  readonly formerIdentities?: readonly string[];
  /**
   * Called whenever this process becomes the leader. What it does has to end soon after the signal; the lease is not
   * taken again, nor given up in `stop`, before the returned promise is settled. Its end alone does not end leadership.
   */
  readonly lead: (leadership: Leadership) => void | Promise<void>;
  /** Called with the identity of each new leader, this process included. Default: not reported. */
  readonly onNewLeader?: (identity: string) => void;
  /** Called with failures, which are retried, and with what `lead` threw. Default: ignored. */
  readonly onError?: (error: unknown) => void;
}

/** Takes part in the election of one leader. */
export interface LeaseElector extends AsyncDisposable {
  /** Judged by the clock, so also right in a process that was suspended. */
  readonly isLeader: boolean;
  /** The last observed leader; empty when there is none. */
  readonly leader: string;
  start(): void;
  /** Ends leadership, waits for `lead`, and gives up the lease so that others need not wait. */
  stop(): Promise<void>;
}

/**
 * Takes part in an election by a Lease, in the way of client-go and together with its clients. A holder acts for
 * `renewDeadlineMs` from when it began its last renewal; others take over `leaseDurationMs` after they saw it. As long as
 * clocks run at about the same speed, there are never two leaders, whatever time they show and whatever gets lost.
 */
export function createLeaseElector(options: LeaseElectorOptions): LeaseElector {
  return new LeasedElector(options);
}

interface Held {
  readonly abort: AbortController;
  /** When the last successful renewal began. */
  sinceMs: number;
  cancelWatchdog: () => void;
}

class LeasedElector implements LeaseElector {
  readonly #options: LeaseElectorOptions;
  readonly #timing: LeaseTiming;
  readonly #claimant: Claimant;
  readonly #stopping = new AbortController();
  #observed: ObservedLease | undefined;
  #held: Held | undefined;
  #lastEnded: Promise<void> = Promise.resolve();
  #loop: Promise<void> | undefined;
  #leader = '';

  constructor(options: LeaseElectorOptions) {
    this.#options = options;
    this.#timing = leaseTiming(options);
    this.#claimant = { identity: options.identity, leaseDurationMs: this.#timing.leaseDurationMs };
  }

  get isLeader(): boolean {
    return this.#held !== undefined && !this.#isOverdue(this.#held.sinceMs);
  }

  get leader(): string {
    return this.#leader;
  }

  start(): void {
    if (!this.#stopping.signal.aborted) this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#lose();
    await this.#loop;
    await this.#lastEnded;
    await this.#release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // The work of a lost leadership must be over before the next one.
      if (this.#held === undefined) await this.#lastEnded;
      await this.#attempt();
      const delayMs = this.#held === undefined ? jitteredPeriodMs(this.#timing) : this.#timing.retryPeriodMs;
      await pause(this.#timing.timers, delayMs, signal);
    }
  }

  async #attempt(): Promise<void> {
    const startedMs = this.#timing.monotonicMs();
    try {
      const lease = await this.#tryAcquireOrRenew();
      if (lease === undefined) this.#lose();
      else this.#hold(lease, startedMs);
    } catch (error) {
      // Not knowing is not losing: the watchdog decides when it is too late.
      this.#report(error);
    }
  }

  /** The lease if it is ours now, undefined if another process holds it. */
  async #tryAcquireOrRenew(): Promise<Lease | undefined> {
    if (this.isLeader && this.#observed !== undefined) {
      const renewed = await this.#write(this.#observed.lease);
      if (renewed !== undefined) return renewed;
    }
    const lease = await this.#read();
    if (lease === undefined) return this.#create();
    const observed = this.#observe(lease);
    const isDead = this.#options.formerIdentities?.includes(lease.spec?.holderIdentity ?? '') ?? false;
    if (!isDead && isHeldByOther(observed, this.#claimant.identity, this.#timing.monotonicMs())) return undefined;
    return this.#write(lease);
  }

  async #read(): Promise<Lease | undefined> {
    try {
      return await this.#options.client.get<Lease>(this.#ref, this.#limits);
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #create(): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options;
    const spec = claimedSpec(undefined, this.#claimant, this.#timing.clock.now());
    return this.#unlessLost(client.create<Lease>(this.#ref, newLease(namespace, name, spec), this.#limits));
  }

  async #write(lease: Lease): Promise<Lease | undefined> {
    const spec = claimedSpec(lease, this.#claimant, this.#timing.clock.now());
    return this.#unlessLost(this.#options.client.update<Lease>(this.#ref, { ...lease, spec }, this.#limits));
  }

  /** Another process was faster, or the lease was deleted: the next read shows it. */
  async #unlessLost(write: Promise<Lease>): Promise<Lease | undefined> {
    try {
      const lease = await write;
      this.#observe(lease);
      return lease;
    } catch (error) {
      if (isError(error, 'Conflict', 'AlreadyExists', 'NotFound')) return undefined;
      throw error;
    }
  }

  #observe(lease: Lease): ObservedLease {
    const isSame = this.#observed !== undefined && isSameJson(this.#observed.lease.spec, lease.spec);
    this.#observed = { lease, atMs: isSame && this.#observed ? this.#observed.atMs : this.#timing.monotonicMs() };
    this.#tellLeader(lease.spec?.holderIdentity ?? '');
    return this.#observed;
  }

  #tellLeader(identity: string): void {
    if (identity === this.#leader) return;
    this.#leader = identity;
    if (identity !== '') this.#options.onNewLeader?.(identity);
  }

  /** A renewal counts from the start of its write, so that others always wait longer than this process leads. */
  #hold(lease: Lease, startedMs: number): void {
    if (this.#isOverdue(startedMs) || this.#stopping.signal.aborted) return;
    const held = this.#held ?? this.#lead(lease);
    held.sinceMs = startedMs;
    held.cancelWatchdog();
    const leftMs = startedMs + this.#timing.renewDeadlineMs - this.#timing.monotonicMs();
    held.cancelWatchdog = this.#timing.timers.after(leftMs, () => this.#lose());
    this.#held = held;
  }

  #lead(lease: Lease): Held {
    const abort = new AbortController();
    const { lead } = this.#options;
    const call = async (): Promise<void> => lead({ token: fencingToken(lease), signal: abort.signal });
    this.#lastEnded = call().catch((error: unknown) => this.#report(error));
    return { abort, sinceMs: 0, cancelWatchdog: () => undefined };
  }

  #lose(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    held.cancelWatchdog();
    held.abort.abort();
  }

  /** Written upon the version that says we hold it, so a process that took it meanwhile keeps it. */
  async #release(): Promise<void> {
    const lease = this.#observed?.lease;
    if (lease?.spec?.holderIdentity !== this.#claimant.identity) return;
    this.#observed = undefined;
    const spec = releasedSpec(lease, this.#timing.clock.now());
    try {
      await this.#options.client.update(this.#ref, { ...lease, spec }, this.#limits);
    } catch (error) {
      // Then others wait until it expires.
      this.#report(error);
    }
  }

  #isOverdue(sinceMs: number): boolean {
    return this.#timing.monotonicMs() - sinceMs >= this.#timing.renewDeadlineMs;
  }

  #report(error: unknown): void {
    this.#options.onError?.(error);
  }

  get #ref() {
    return leaseRef(this.#options.namespace, this.#options.name);
  }

  /** A request that hangs must not keep us from the next attempt for longer than the lease could be ours. */
  get #limits() {
    return { timeoutMs: this.#timing.renewDeadlineMs };
  }
}
