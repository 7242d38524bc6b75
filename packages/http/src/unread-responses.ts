import { setTimeout as sleep } from 'node:timers/promises';
import type { PacedResponse, ResponseMeter } from './paced-response.ts';

export interface UnreadLimits {
  /** Bytes of responses that may wait for the clients of one identity. */
  readonly unreadBytesPerIdentity: number;
  /** Bytes of responses that may wait for all clients together. */
  readonly unreadBytes: number;
}

/** While a budget is used up, a connection that has read nothing for this long is cut. */
const graceMs = 10_000;
/** Beyond this multiple of a budget the connection that has read nothing for the longest time is cut at once. */
const maxExcess = 2;
/** How often those who wait for room look for it, besides whenever some is freed. */
const recheckMs = 1000;

interface Waiting {
  readonly identity: string;
  bytes: number;
  /** When the client last read something, or the response began to wait. */
  progressAt: number;
}

/**
 * The responses that wait for clients to read them, within a budget for each identity and one for all.
 *
 * The producer of a response in pieces waits for `room`. A response that exists already is accepted; when it
 * exceeds a budget, connections whose clients do not read are cut for it.
 */
export class UnreadResponses implements ResponseMeter {
  readonly #limits: UnreadLimits;
  readonly #now: () => number;
  readonly #waiting = new Map<PacedResponse, Waiting>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;
  #freed = Promise.withResolvers<void>();

  constructor(limits: UnreadLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Bytes that wait for clients. */
  get bytes(): number {
    return this.#bytes;
  }

  waiting(response: PacedResponse, bytes: number): void {
    const known = this.#waiting.get(response);
    if (known === undefined && bytes === 0) return;
    const entry = known ?? { identity: response.identity ?? '', bytes: 0, progressAt: this.#now() };
    const change = bytes - entry.bytes;
    entry.bytes = bytes;
    this.#add(entry.identity, change);
    if (bytes === 0) this.#waiting.delete(response);
    else this.#waiting.set(response, entry);
    if (change < 0) this.#progressed(entry);
    else this.#makeRoom(entry.identity);
  }

  /** Resolves when another piece of a response may be produced for the identity, or the connection is closed. */
  async room(response: PacedResponse): Promise<void> {
    const identity = response.identity ?? '';
    while (this.#excessOf(identity) >= 1 && !response.destroyed) {
      this.#makeRoom(identity);
      const stop = new AbortController();
      const recheck = sleep(recheckMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      await Promise.race([this.#freed.promise, recheck]);
      stop.abort();
    }
  }

  #progressed(entry: Waiting): void {
    entry.progressAt = this.#now();
    this.#freed.resolve();
    this.#freed = Promise.withResolvers();
  }

  #add(identity: string, change: number): void {
    this.#bytes += change;
    const bytes = (this.#bytesOf.get(identity) ?? 0) + change;
    if (bytes === 0) this.#bytesOf.delete(identity);
    else this.#bytesOf.set(identity, bytes);
  }

  /** How often the fuller one of the two budgets is used up. */
  #excessOf(identity: string): number {
    const { unreadBytesPerIdentity, unreadBytes } = this.#limits;
    return Math.max((this.#bytesOf.get(identity) ?? 0) / unreadBytesPerIdentity, this.#bytes / unreadBytes);
  }

  #makeRoom(identity: string): void {
    while (this.#excessOf(identity) >= 1) {
      const isOwn = (this.#bytesOf.get(identity) ?? 0) >= this.#limits.unreadBytesPerIdentity;
      const longest = this.#maxStalled(isOwn ? identity : undefined);
      if (longest === undefined) return;
      const [response, { progressAt }] = longest;
      const isStalled = this.#now() - progressAt >= graceMs;
      if (!isStalled && this.#excessOf(identity) < maxExcess) return;
      this.waiting(response, 0);
      response.req.socket.destroy();
    }
  }

  #maxStalled(identity: string | undefined): readonly [PacedResponse, Waiting] | undefined {
    let longest: readonly [PacedResponse, Waiting] | undefined;
    for (const each of this.#waiting) {
      const [, entry] = each;
      if (identity !== undefined && entry.identity !== identity) continue;
      if (longest === undefined || entry.progressAt < longest[1].progressAt) longest = each;
    }
    return longest;
  }
}
