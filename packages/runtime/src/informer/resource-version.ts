const decimal = /^(0|[1-9][0-9]*)$/;

/**
 * Which of two resource versions of one collection is later: positive when `a` is, 0 when they are the same. Undefined
 * when they cannot be compared: Kubernetes promises an order only for decimal numbers.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
