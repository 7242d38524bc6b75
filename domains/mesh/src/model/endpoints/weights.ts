/**
 * Maximum sum of weights within one priority. The protocol allows twice as much, but gRPC for Node.js draws a signed
 * 32-bit number: above this limit, all traffic goes to the first locality.
 */
const maxTotalWeight = 2 ** 31 - 1;

/** Reduces weights to the smallest integers of the same ratio. */
export function reduceWeights(weights: readonly bigint[]): readonly bigint[] {
  const divisor = weights.reduce(gcd, 0n);
  return divisor > 1n ? weights.map(weight => weight / divisor) : weights;
}

/** Unchanged when their sum is allowed; otherwise scaled down, to at least 1 each. */
export function boundWeights(weights: readonly bigint[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total <= maxTotalWeight) return weights.map(Number);
  const room = BigInt(maxTotalWeight - weights.length);
  return weights.map(weight => Math.max(1, Number((weight * room) / total)));
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

/** 1 for an empty list. */
export const leastCommonMultiple = (numbers: readonly bigint[]): bigint =>
  numbers.reduce((product, number) => (product / gcd(product, number)) * number, 1n);
