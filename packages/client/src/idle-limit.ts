/** Gives up on something that is silent for too long. Silence counts only while we listen. */
export class IdleLimit implements Disposable {
  /** Aborted when the limit expires without an event, or by the caller's own signal. */
  readonly signal: AbortSignal | undefined;
  readonly #idleMs: number | undefined;
  readonly #silence = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(idleMs: number | undefined, signal: AbortSignal | undefined) {
    this.#idleMs = idleMs;
    const signals = [
      ...(signal === undefined ? [] : [signal]),
      ...(idleMs === undefined ? [] : [this.#silence.signal]),
    ];
    this.signal = signals.length === 0 ? undefined : AbortSignal.any(signals);
    this.listen();
  }

  get isOver(): boolean {
    return this.#silence.signal.aborted;
  }

  /** Restarts the time. */
  listen(): void {
    if (this.#idleMs !== undefined) this.#timer = setTimeout(() => this.#silence.abort(), this.#idleMs);
  }

  /** Something came, and is being dealt with. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    this.pause();
  }
}
