import { concurrencyError } from '../../model/repeats/repeat-decision.ts';

/** Who does what with a resource, in this process. Between processes the store's preconditions decide. */
export interface Turns {
  /**
   * Does the work when nobody else works under the key. While the same request (known by its fingerprint) runs, it waits and
   * then does its own work, which finds what the first has recorded; while another request runs it rejects with `ConcurrencyError`.
   */
  run<T>(key: string, fingerprint: string, work: () => Promise<T>): Promise<T>;
}

interface Running {
  readonly fingerprint: string;
  readonly ended: Promise<void>;
}

export function createTurns(): Turns {
  const running = new Map<string, Running>();
  return {
    async run(key, fingerprint, work) {
      for (let other = running.get(key); other !== undefined; other = running.get(key)) {
        if (other.fingerprint !== fingerprint) throw concurrencyError();
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
