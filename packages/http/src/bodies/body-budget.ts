import { apiError, type ChandleryError } from '@chandlery/api';

export interface BodyBudgetLimits {
  /** Bytes of request bodies that one identity may have in memory. */
  readonly bodyBytesPerIdentity: number;
  /** Bytes of request bodies that may be in memory in all. */
  readonly bodyBytesInAll: number;
}

/** While a budget is used up, a body that has not arrived within this time makes room for others. */
const graceMs = 10_000;

const retryAfterSeconds = 1;

/** The share of a budget that one request has. */
export interface BodyShare {
  /** Takes more of the budget. Throws `TooManyRequests` when there is no more. */
  readonly grow: (bytes: number) => void;
  /** The body is complete: it will not be given up for others any more. */
  readonly received: () => void;
  /** Gives back everything. May be called twice. */
  readonly release: () => void;
}

interface Share {
  readonly identity: string;
  readonly startedAt: number;
  readonly giveUp: (reason: ChandleryError) => void;
  bytes: number;
}

/**
 * The request bodies in memory, within a budget for each identity and one for all. A request that finds a budget used
 * up is rejected, unless a body that arrives too slowly can be given up for it.
 */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #now: () => number;
  readonly #bytesOf = new Map<string, number>();
  /** Those that are still arriving, oldest first. */
  readonly #arriving = new Set<Share>();
  #bytes = 0;

  constructor(limits: BodyBudgetLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Bytes in memory, or reserved for what is to come. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes `bytes` for a body. `giveUp` is called when the body has to make room for others. Throws `TooManyRequests`. */
  take(identity: string, bytes: number, giveUp: (reason: ChandleryError) => void): BodyShare {
    const share: Share = { identity, startedAt: this.#now(), giveUp, bytes: 0 };
    this.#grow(share, bytes);
    this.#arriving.add(share);
    return {
      grow: more => this.#grow(share, more),
      received: () => void this.#arriving.delete(share),
      release: () => this.#release(share),
    };
  }

  #grow(share: Share, bytes: number): void {
    while (this.#exceeded(share.identity, bytes) !== undefined) this.#giveUpFor(share, bytes);
    share.bytes += bytes;
    this.#add(share.identity, bytes);
  }

  #release(share: Share): void {
    this.#arriving.delete(share);
    this.#add(share.identity, -share.bytes);
    share.bytes = 0;
  }

  #add(identity: string, change: number): void {
    this.#bytes += change;
    const bytes = (this.#bytesOf.get(identity) ?? 0) + change;
    if (bytes === 0) this.#bytesOf.delete(identity);
    else this.#bytesOf.set(identity, bytes);
  }

  #exceeded(identity: string, bytes: number): 'identity' | 'all' | undefined {
    const { bodyBytesPerIdentity, bodyBytesInAll } = this.#limits;
    if ((this.#bytesOf.get(identity) ?? 0) + bytes > bodyBytesPerIdentity) return 'identity';
    return this.#bytes + bytes > bodyBytesInAll ? 'all' : undefined;
  }

  #giveUpFor(share: Share, bytes: number): void {
    const exceeded = this.#exceeded(share.identity, bytes);
    const slowest = this.#slowest(share, exceeded === 'identity');
    if (slowest === undefined) throw usedUp(exceeded === 'identity');
    this.#release(slowest);
    slowest.giveUp(tooSlow());
  }

  #slowest(share: Share, isOwn: boolean): Share | undefined {
    const latest = this.#now() - graceMs;
    for (const candidate of this.#arriving) {
      if (candidate.startedAt > latest) return undefined;
      if (candidate !== share && (!isOwn || candidate.identity === share.identity)) return candidate;
    }
    return undefined;
  }
}

const usedUp = (isOwn: boolean): ChandleryError =>
  apiError(
    'TooManyRequests',
    isOwn
      ? 'too many request bodies of the same user are in progress'
      : 'too many request bodies are in progress on this server',
    { retryAfterSeconds },
  );

const tooSlow = (): ChandleryError =>
  apiError('TooManyRequests', 'the request body arrived too slowly while others waited for its memory', {
    retryAfterSeconds,
  });
