/** Runs work under a key after all that was given before under the same key has ended. */
export type TakeTurns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Makes turns of one's own. Work that fails does not hold up what comes after it. */
export function createRequestCoalescer(): TakeTurns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const turn = Promise.allSettled([last.get(key)]).then(work);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
