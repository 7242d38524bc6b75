/** Calls for each item, at most so many at a time, and answers all results in order. What fails does not stop the others. */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  call: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = [];
  const entries = items.entries();
  const work = async (): Promise<void> => {
    for (const [at, item] of entries) {
      const [result] = await Promise.allSettled([call(item)]);
      results[at] = result;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
