/** A queue of a test server: messages that were received and not removed come again at once. */
export class TestQueue {
  /** Responds as if it did not exist. Default: it exists. */
  isMissing = false;
  readonly #messages = new Map<number, string>();
  readonly #waiting = new Set<() => void>();
  #last = 0;

  get size(): number {
    return this.#messages.size;
  }

  send(text: string): void {
    this.#messages.set((this.#last += 1), text);
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  receive(max: number): readonly { readonly text: string; readonly receipt: string }[] {
    return [...this.#messages].slice(0, max).map(([no, text]) => ({ text, receipt: `${no}-receipt` }));
  }

  /** Resolves when there is a message, or after a while. */
  async waitForMessages(waitMs: number): Promise<void> {
    if (this.size > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }

  /** Whether there was such a message. */
  remove(receipt: string): boolean {
    return this.#messages.delete(Number.parseInt(receipt, 10));
  }
}
