export interface FairQueueOptions {
  /** How many may wait in all. */
  readonly maxWaiting: number;
  /** How many of one sender may wait. */
  readonly maxWaitingOfOne: number;
}

/** A bounded queue whose senders take turns: one who sends much waits for itself and not the others for it. */
export class FairQueue<T> {
  readonly #options: FairQueueOptions;
  /** By sender, in the order in which they are next. */
  readonly #waiting = new Map<string, T[]>();
  #size = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** False when the queue, or the sender's part of it, is full. */
  add(sender: string, item: T): boolean {
    const own = this.#waiting.get(sender) ?? [];
    if (this.#size >= this.#options.maxWaiting || own.length >= this.#options.maxWaitingOfOne) return false;
    own.push(item);
    this.#waiting.set(sender, own);
    this.#size++;
    return true;
  }

  /** The next item, of the sender whose last one is longest ago. */
  take(): T | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [sender, own] = first;
    const item = own.shift();
    this.#waiting.delete(sender);
    if (own.length > 0) this.#waiting.set(sender, own);
    this.#size--;
    return item;
  }
}
