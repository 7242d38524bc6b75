import { isError } from '@chandlery/api';
import type { ObjectKey, Store } from '../store/store.ts';

/** Decides whether this process runs the maintenance. */
export interface Leadership extends AsyncDisposable {
  start(onChange: (isLeader: boolean) => void): void;
}

/** The only process on its store. */
export const soleLeader: Leadership = {
  start: onChange => onChange(true),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

const leaseKey: ObjectKey = { cluster: 'platform', resource: 'internal/leases', namespace: '', name: 'housekeeping' };

export interface StoreLeadershipOptions {
  readonly store: Store;
  /** Unique to this process. */
  readonly identity: string;
  /** Identities of processes that have certainly ended: their leadership is taken at once. Default none. */
  readonly formerIdentities?: readonly string[];
  /**
   * The lease duration: how long a leader that does not renew keeps others from taking over. Default 6 s. Controllers of
   * domains have another election, with the Lease timing of `packages/runtime`: docs/decisions/one-leader.md.
   */
  readonly timeoutMs?: number;
  /** Monotonic milliseconds, for the timeout. Default: the process' monotonic clock. */
  readonly monotonicMs?: () => number;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Leadership among the processes on one store, by a record that its holder renews. Others take over when the record
 * has not changed for the timeout, measured on their own monotonic clock, so clocks need not agree.
 */
export class StoreLeadership implements Leadership {
  readonly #options: StoreLeadershipOptions;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  #seen: { revision: number; at: number } | undefined;
  #heldSince: number | undefined;
  /** Ends a leadership that could not be renewed in time, even if the store does not answer at all. */
  #watchdog: NodeJS.Timeout | undefined;
  #isLeader = false;
  #onChange: (isLeader: boolean) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: StoreLeadershipOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 6000;
    this.#now = options.monotonicMs ?? (() => performance.now());
  }

  start(onChange: (isLeader: boolean) => void): void {
    this.#onChange = onChange;
    this.#schedule(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#turn;
    if (!this.#isLeader) return;
    this.#become(false);
    // Lets others take over at once. Should that fail, they do after the timeout.
    await this.#write('').catch(() => undefined);
  }

  #schedule(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#turn = this.#attempt().finally(() => {
        if (this.#timer !== undefined) this.#schedule(this.#timeoutMs / 4);
      });
    }, delayMs);
    this.#timer.unref();
  }

  async #attempt(): Promise<void> {
    const startedAt = this.#now();
    try {
      if (await this.#mayHold()) {
        await this.#write(this.#options.identity);
        this.#hold(startedAt);
      } else this.#become(false);
    } catch (error) {
      if (isError(error, 'PreconditionFailed')) this.#become(false);
      else this.#options.onFailure(error);
      this.#checkHold();
    }
  }

  /** A renewal counts from the start of its write, so that others always wait longer than this process leads. */
  #hold(since: number): void {
    this.#heldSince = since;
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#checkHold(), this.#timeoutMs / 2 + 1);
    this.#watchdog.unref();
    this.#become(this.#isHeld());
  }

  /** A leader that cannot renew steps down before another process may take over. */
  #checkHold(): void {
    if (!this.#isHeld()) this.#become(false);
  }

  #isHeld(): boolean {
    return this.#heldSince !== undefined && this.#now() - this.#heldSince < this.#timeoutMs / 2;
  }

  async #mayHold(): Promise<boolean> {
    const stored = await this.#options.store.get(leaseKey);
    if (stored === undefined) {
      this.#seen = { revision: 0, at: this.#now() };
      return true;
    }
    if (this.#seen?.revision !== stored.revision) this.#seen = { revision: stored.revision, at: this.#now() };
    const holder = Buffer.from(stored.value.bytes).toString();
    const { identity, formerIdentities = [] } = this.#options;
    const isFree = holder === '' || holder === identity || formerIdentities.includes(holder);
    return isFree || this.#now() - this.#seen.at > this.#timeoutMs;
  }

  async #write(holder: string): Promise<void> {
    const revision = this.#seen?.revision ?? 0;
    const { revisions } = await this.#options.store.commit({
      writes: [
        {
          type: 'put',
          key: leaseKey,
          expect: revision === 0 ? { type: 'absent' } : { type: 'revision', revision },
          value: { bytes: Buffer.from(holder), splice: 0 },
          terms: [],
        },
      ],
    });
    this.#seen = { revision: revisions[0] ?? 0, at: this.#now() };
  }

  #become(isLeader: boolean): void {
    if (this.#isLeader === isLeader) return;
    this.#isLeader = isLeader;
    if (!isLeader) {
      this.#heldSince = undefined;
      clearTimeout(this.#watchdog);
    }
    this.#onChange(isLeader);
  }
}
