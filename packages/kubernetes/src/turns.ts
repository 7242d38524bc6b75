import { apiError, type ChandleryError } from '@chandlery/api';

/** So many requests of one sender look at many objects at a time: each gives way after a few milliseconds, and these add up. */
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
  readonly #senders = new Map<string, Sender>();

  /** Runs `work` when it is its turn. Rejects with `TooManyRequests` when too many wait already. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const sender = this.#sender(name);
    if (sender.running < maxRunning) sender.running += 1;
    else if (sender.queue.length >= maxQueued) throw tooMany('searches of the same user wait for their turn');
    else await new Promise<void>(begin => sender.queue.push(begin));
    try {
      return await work();
    } finally {
      const next = sender.queue.shift();
      // The next one takes the place over.
      if (next === undefined) sender.running -= 1;
      else next();
      this.#forget(name, sender);
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

  #forget(name: string, { running, following }: Sender): void {
    if (running + following === 0) this.#senders.delete(name);
  }
}

const tooMany = (what: string): ChandleryError =>
  apiError('TooManyRequests', `too many ${what}`, { retryAfterSeconds });
