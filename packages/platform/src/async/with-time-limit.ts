/** What a promise gives; undefined when that takes longer. It continues, and its failure is then ignored. */
export async function withTimeLimit<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  if (limitMs === Number.POSITIVE_INFINITY) return promise;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  promise.catch(() => undefined);
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
