import { concurrencyError } from '../../model/repeats/repeat-decision.ts';

/** Who does what with a resource, in this process. Between processes the store's preconditions decide. */
export interface Turns {
  /**
   * Does the work when nobody else works under the key. While the same request (known by its fingerprint) runs, it waits and
   * then does its own work, which finds what the first has recorded; while another request runs it rejects with `ConcurrencyError`.
   */
  run<T>(key: string, fingerprint: Fingerprint, work: () => Promise<T>): Promise<T>;
}

/** A function for one that costs something: it is only asked when two requests meet, which is rare. */
type Fingerprint = string | (() => string);

interface Running {
  readonly fingerprint: Fingerprint;
  readonly ended: Promise<void>;
}

export function createTurns(): Turns {
  const running = new Map<string, Running>();
  return {
    async run(key, fingerprint, work) {
      for (let other = running.get(key); other !== undefined; other = running.get(key)) {
        if (textOf(other.fingerprint) !== textOf(fingerprint)) throw concurrencyError();
        await other.ended;
      }
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      running.set(key, { fingerprint, ended });
      try {
        return await work();
      } finally {
        running.delete(key);
        end();
      }
    },
  };
}

const textOf = (fingerprint: Fingerprint): string => (typeof fingerprint === 'string' ? fingerprint : fingerprint());
