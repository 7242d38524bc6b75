import { apiError, type ChandleryError } from '@chandlery/api';

/** So many requests look at many objects at a time: each gives way after a few milliseconds, and these add up. */
const maxRunningInAll = 8;
/** So many of one sender. */
const maxRunning = 4;
/** So many more of a sender wait for their turn. */
const maxQueued = 100;
/** So many requests of a sender wait for changes. */
const maxFollowing = 100;
const retryAfterSeconds = 2;

interface Sender {
  running: number;
  following: number;
  readonly queue: (() => void)[];
}

/**
 * Lets requests that look at many objects take turns, sender by sender: one that sends hundreds of them makes its own wait,
 * and not those of others.
 */
export class Turns {
  /** The one whose turn was last is the last one. */
  readonly #senders = new Map<string, Sender>();
  #running = 0;

  /** Runs `work` when it is its turn. Rejects with `TooManyRequests` when too many wait already. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const sender = this.#sender(name);
    if (sender.queue.length >= maxQueued) throw tooMany('searches of the same user wait for their turn');
    const begun = new Promise<void>(begin => sender.queue.push(begin));
    this.#beginNext();
    await begun;
    try {
      return await work();
    } finally {
      sender.running -= 1;
      this.#running -= 1;
      this.#forget(name, sender);
      this.#beginNext();
    }
  }

  #beginNext(): void {
    for (const [name, sender] of [...this.#senders]) {
      if (this.#running >= maxRunningInAll) return;
      if (sender.running >= maxRunning) continue;
      const begin = sender.queue.shift();
      if (begin === undefined) continue;
      sender.running += 1;
      this.#running += 1;
      this.#senders.delete(name);
      this.#senders.set(name, sender);
      begin();
    }
  }

  /** Counts a request that waits for changes until it is disposed of. Throws `TooManyRequests` when there are too many. */
  follow(name: string): Disposable {
    const sender = this.#sender(name);
    if (sender.following >= maxFollowing) throw tooMany('searches of the same user wait for changes');
    sender.following += 1;
    return {
      [Symbol.dispose]: () => {
        sender.following -= 1;
        this.#forget(name, sender);
      },
    };
  }

  #sender(name: string): Sender {
    const known = this.#senders.get(name) ?? { running: 0, following: 0, queue: [] };
    this.#senders.set(name, known);
    return known;
  }

  #forget(name: string, { running, following, queue }: Sender): void {
    if (running + following + queue.length === 0) this.#senders.delete(name);
  }
}

const tooMany = (what: string): ChandleryError =>
  apiError('TooManyRequests', `too many ${what}`, { retryAfterSeconds });
