/** Bytes that may wait for a consumer for any time. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** Bytes that may wait for a consumer at all. */
const maxBurstBytes = 16 * 1024 * 1024;
/**
 * How long more than `maxWaitingBytes` may wait: a burst of notifications does not mean that the consumer stopped
 * reading.
 */
const graceMs = 10_000;

/** Decides when what waits for a consumer is too much: its frames are shared with others, so that a burst costs little. */
export class Backlog {
  readonly #now: () => number;
  /** Bytes of missed notifications, which may exceed the limit for later ones. */
  #missedBytes = 0;
  #exceededAt: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Allows for what is sent when a consumer comes back; 0 once it has read that. */
  allowMissed(bytes: number): void {
    this.#missedBytes = bytes;
  }

  /** Whether the consumer does not read, judged by what waits for it after another frame was written. */
  isTooMuch(waitingBytes: number, frameBytes: number): boolean {
    const isSmall = waitingBytes <= Math.max(maxWaitingBytes + this.#missedBytes, frameBytes);
    this.#exceededAt = isSmall ? undefined : (this.#exceededAt ?? this.#now());
    if (this.#exceededAt === undefined) return false;
    return waitingBytes > maxBurstBytes + this.#missedBytes || this.#now() - this.#exceededAt >= graceMs;
  }
}
