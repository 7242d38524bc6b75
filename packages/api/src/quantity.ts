import { badRequest } from './api-errors.ts';

/** How a quantity was written, and so how it is printed again. */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent';

/** An exact amount: Kubernetes' Quantity. Finer than a nano is rounded away from zero. */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const nanosPerUnit = 1_000_000_000n;
const maxNanos = (2n ** 63n - 1n) * nanosPerUnit;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const shape = /^([+-]?)(\d*)(?:\.(\d*))?([a-zA-Z]*)([+-]?\d*)$/;
/** Longer texts cannot say more than the limits allow; big integers of tenants' choice would cost time. */
const maxTextLength = 256;
/** Beyond this power of ten every amount is either capped or rounded to one nano. */
const maxExponent = 400;

/** Parses `100m`, `1.5Gi`, `1e3`, `-4`; undefined when it is no quantity. Amounts beyond ±(2^63−1) are capped there. */
export function tryParseQuantity(text: string): Quantity | undefined {
  const match = text.length > maxTextLength ? null : shape.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = '', exponent = ''] = match;
  const scale = readSuffix(suffix, exponent);
  if (scale === undefined || whole + fraction === '') return undefined;
  const magnitude = toNanos(BigInt(whole + fraction), scale, fraction.length);
  return { nanos: sign === '-' ? -magnitude : magnitude, format: scale.format };
}

/** As {@link tryParseQuantity}, but rejects with `BadRequest`. */
export function parseQuantity(text: string): Quantity {
  const quantity = tryParseQuantity(text);
  if (quantity === undefined) {
    const rule = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    throw badRequest(`${JSON.stringify(text.slice(0, maxTextLength))}: ${rule}`);
  }
  return quantity;
}

interface Scale {
  readonly format: QuantityFormat;
  readonly tens: number;
  readonly twos: number;
}

function readSuffix(suffix: string, exponent: string): Scale | undefined {
  if (exponent !== '') return suffix === 'e' || suffix === 'E' ? readExponent(exponent) : undefined;
  const binary = suffix === '' ? -1 : binarySuffixes.indexOf(suffix as (typeof binarySuffixes)[number]);
  if (binary > 0) return { format: 'binary', tens: 0, twos: binary * 10 };
  const decimal = decimalSuffixes.indexOf(suffix as (typeof decimalSuffixes)[number]);
  return decimal < 0 ? undefined : { format: 'decimal', tens: (decimal - 3) * 3, twos: 0 };
}

function readExponent(text: string): Scale | undefined {
  const tens = Number(text);
  if (!Number.isInteger(tens)) return undefined;
  return { format: 'exponent', tens: Math.max(-maxExponent, Math.min(maxExponent, tens)), twos: 0 };
}

function toNanos(digits: bigint, { tens, twos }: Scale, fractionDigits: number): bigint {
  const scaled = digits << BigInt(twos);
  const power = tens + 9 - fractionDigits;
  const nanos = power >= 0 ? scaled * 10n ** BigInt(power) : divideUp(scaled, 10n ** BigInt(-power));
  return nanos > maxNanos ? maxNanos : nanos;
}

const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

/** Negative, zero or positive, as for `Array.sort`. */
export function compareQuantities(left: Quantity, right: Quantity): number {
  if (left.nanos === right.nanos) return 0;
  return left.nanos < right.nanos ? -1 : 1;
}

/** The canonical text: no fraction, the largest suffix that loses nothing. */
export function formatQuantity({ nanos, format }: Quantity): string {
  const units = nanos / nanosPerUnit;
  const isWhole = nanos % nanosPerUnit === 0n;
  const isSmall = units > -1024n && units < 1024n;
  if (format === 'binary' && isWhole && !isSmall) return formatBinary(units);
  const { digits, steps } = stripFactors(nanos, 1000n, decimalSuffixes.length - 1);
  if (format !== 'exponent') return `${digits}${nanos === 0n ? '' : decimalSuffixes[steps]}`;
  const exponent = (steps - 3) * 3;
  return exponent === 0 || nanos === 0n ? `${digits}` : `${digits}e${exponent}`;
}

function formatBinary(units: bigint): string {
  const { digits, steps } = stripFactors(units, 1024n, binarySuffixes.length - 1);
  return `${digits}${binarySuffixes[steps]}`;
}

function stripFactors(amount: bigint, factor: bigint, maxSteps: number): { digits: bigint; steps: number } {
  let digits = amount;
  let steps = 0;
  while (steps < maxSteps && digits !== 0n && digits % factor === 0n) {
    digits /= factor;
    steps++;
  }
  return { digits, steps };
}

/** The canonical text of a text, or undefined when it is no quantity. */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = tryParseQuantity(text);
  return quantity === undefined ? undefined : formatQuantity(quantity);
}
