import { parseQuantity, tryParseQuantity } from '@chandlery/api';
import type { Environment } from '@marcbachmann/cel-js';
import { registerIn } from './register.ts';

const nanosPerUnit = 1_000_000_000n;

/** An amount such as `1.5Gi`, as rules compute with it. */
export class QuantityValue {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  get isInteger(): boolean {
    return this.nanos % nanosPerUnit === 0n;
  }

  compareTo({ nanos }: QuantityValue): bigint {
    if (this.nanos === nanos) return 0n;
    return this.nanos < nanos ? -1n : 1n;
  }

  asInteger(): bigint {
    if (!this.isInteger) throw new Error('cannot convert value to integer');
    return this.nanos / nanosPerUnit;
  }
}

const plus = (left: QuantityValue, nanos: bigint): QuantityValue => new QuantityValue(left.nanos + nanos);

/** `quantity()`, `isQuantity()` and what can be done with the result. */
export function registerQuantityFunctions(environment: Environment): void {
  const register = registerIn(environment);
  type Q = QuantityValue;
  environment.registerType('Quantity', QuantityValue);
  register('quantity(string): Quantity', (text: string) => new QuantityValue(parseQuantity(text).nanos));
  register('isQuantity(string): bool', (text: string) => tryParseQuantity(text) !== undefined);
  register('Quantity.sign(): int', (quantity: Q) => quantity.compareTo(new QuantityValue(0n)));
  register('Quantity.isInteger(): bool', (quantity: Q) => quantity.isInteger);
  register('Quantity.asInteger(): int', (quantity: Q) => quantity.asInteger());
  register('Quantity.asApproximateFloat(): double', (quantity: Q) => Number(quantity.nanos) / Number(nanosPerUnit));
  register('Quantity.add(Quantity): Quantity', (left: Q, right: Q) => plus(left, right.nanos));
  register('Quantity.add(int): Quantity', (left: Q, right: bigint) => plus(left, right * nanosPerUnit));
  register('Quantity.sub(Quantity): Quantity', (left: Q, right: Q) => plus(left, -right.nanos));
  register('Quantity.sub(int): Quantity', (left: Q, right: bigint) => plus(left, -right * nanosPerUnit));
  register('Quantity.compareTo(Quantity): int', (left: Q, right: Q) => left.compareTo(right));
  register('Quantity.isGreaterThan(Quantity): bool', (left: Q, right: Q) => left.compareTo(right) > 0n);
  register('Quantity.isLessThan(Quantity): bool', (left: Q, right: Q) => left.compareTo(right) < 0n);
}
