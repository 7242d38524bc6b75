const decimal = /^\d+$/;

/** Whether version `a` is at least as new as `b`. Versions that cannot be compared count as newer. */
export function isNotOlder(a: string, b: string): boolean {
  if (!decimal.test(a) || !decimal.test(b)) return true;
  return BigInt(a) >= BigInt(b);
}
