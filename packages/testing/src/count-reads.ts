/** Methods of a store that read objects or history. */
const readers = ['get', 'list', 'changes', 'before', 'withTerm', 'keysWithTerm', 'expired', 'snapshot'] as const;

/** The part of a store that is counted. */
type Readable = Readonly<Record<(typeof readers)[number], (...args: never[]) => unknown>>;

/** Counts the reads of a store from now on. Returns a function that returns their number. */
export function countReads(store: Readable): () => number {
  let reads = 0;
  for (const name of readers) {
    const read = store[name].bind(store) as (...args: unknown[]) => unknown;
    Object.assign(store, {
      [name]: (...args: unknown[]) => {
        reads++;
        return read(...args);
      },
    });
  }
  return () => reads;
}
