import { tryParseQuantity } from '@chandlery/api';

/** A weight in `v1alpha1`: a Kubernetes quantity such as `500m` or `1`. */
export type QuantityWeight = number | string;

const nanosPerMilli = 1_000_000n;
const nanosPerUnit = 1_000_000_000n;

/**
 * Converts quantities to integers of the same ratio: unchanged if all are integers, otherwise thousandths. NaN for an
 * invalid quantity, one finer than a thousandth, or a negative one.
 */
export function weightsOf(quantities: readonly QuantityWeight[]): readonly number[] {
  const nanos = quantities.map(quantity => tryParseQuantity(String(quantity))?.nanos);
  const unit = nanos.every(each => each !== undefined && each % nanosPerUnit === 0n) ? nanosPerUnit : nanosPerMilli;
  return nanos.map(each => (each === undefined || each < 0n || each % unit !== 0n ? Number.NaN : Number(each / unit)));
}
