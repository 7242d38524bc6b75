/**
 * The largest sum of weights within one priority. The protocol allows twice as much, but gRPC for Node.js draws a signed
 * 32-bit number: beyond this everything goes to the first locality.
 */
const maxTotalWeight = 2 ** 31 - 1;

/** The same ratios in the smallest whole numbers. */
export function reduceWeights(weights: readonly bigint[]): readonly bigint[] {
  const divisor = weights.reduce(gcd, 0n);
  return divisor > 1n ? weights.map(weight => weight / divisor) : weights;
}

/** As they are when their sum is allowed; otherwise nearly the same ratios, and at least 1 each. */
export function boundWeights(weights: readonly bigint[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total <= maxTotalWeight) return weights.map(Number);
  const room = BigInt(maxTotalWeight - weights.length);
  return weights.map(weight => Math.max(1, Number((weight * room) / total)));
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

/** Of none: 1. */
export const leastCommonMultiple = (numbers: readonly bigint[]): bigint =>
  numbers.reduce((product, number) => (product / gcd(product, number)) * number, 1n);
