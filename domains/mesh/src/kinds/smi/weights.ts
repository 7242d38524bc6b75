import { tryParseQuantity } from '@chandlery/api';

/** A weight as `v1alpha1` writes it: a Kubernetes quantity such as `500m` or `1`. */
export type QuantityWeight = number | string;

const nanosPerMilli = 1_000_000n;
const nanosPerUnit = 1_000_000_000n;

/**
 * Whole numbers in the same ratio: the same ones if all are whole, else thousandths. NaN for what is no quantity,
 * finer than a thousandth, or negative.
 */
export function weightsOf(quantities: readonly QuantityWeight[]): readonly number[] {
  const nanos = quantities.map(quantity => tryParseQuantity(String(quantity))?.nanos);
  const unit = nanos.every(each => each !== undefined && each % nanosPerUnit === 0n) ? nanosPerUnit : nanosPerMilli;
  return nanos.map(each => (each === undefined || each < 0n || each % unit !== 0n ? Number.NaN : Number(each / unit)));
}
