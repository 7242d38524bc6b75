import { fail } from '../../values/failure.ts';

/** A number as an integer times a power of ten, so that 0.1 + 0.2 is 0.3. */
interface Decimal {
  readonly digits: bigint;
  /** Digits behind the point. */
  readonly scale: number;
}

const divisionScale = 16;

function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value)) return fail(`Cannot create a Decimal from ${value}`);
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

const numberOf = ({ digits, scale }: Decimal): number => Number(`${digits}e-${scale}`);

const rescale = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale);

/** The sum of all, or the first less all others. */
export function sumDecimals(numbers: readonly number[], sign: 1 | -1): number {
  const [first = { digits: 0n, scale: 0 }, ...others] = numbers.map(decimalOf);
  const sum = others.reduce<Decimal>((total, other) => {
    const scale = Math.max(total.scale, other.scale);
    return { digits: rescale(total, scale) + BigInt(sign) * rescale(other, scale), scale };
  }, first);
  return numberOf(sum);
}

export function multiplyDecimals(numbers: readonly number[]): number {
  const decimals = numbers.map(decimalOf);
  return numberOf(decimals.reduce((a, b) => ({ digits: a.digits * b.digits, scale: a.scale + b.scale })));
}

/** Quotients have 16 digits behind the point. */
export function divideDecimals(numbers: readonly number[]): number {
  return numberOf(numbers.map(decimalOf).reduce(divide));
}

function divide(a: Decimal, b: Decimal): Decimal {
  if (b.digits === 0n) return fail('decimal division by 0');
  const scale = Math.max(a.scale, b.scale);
  const scaled = rescale(a, scale) * 10n ** BigInt(divisionScale);
  const by = rescale(b, scale);
  const quotient = scaled / by;
  const rest = scaled % by;
  const isHalf = 2n * (rest < 0n ? -rest : rest) >= (by < 0n ? -by : by);
  const step = scaled < 0n === by < 0n ? 1n : -1n;
  return { digits: isHalf ? quotient + step : quotient, scale: divisionScale };
}
