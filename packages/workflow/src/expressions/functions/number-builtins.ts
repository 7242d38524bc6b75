import { interfaceTypeName } from '../language/compile-operators.ts';
import { compare, toInt64, truncate } from '../values/arithmetic.ts';
import { fail } from '../values/failure.ts';
import { formatValue } from '../values/format-value.ts';
import type { Meter } from '../values/meter.ts';
import { Duration, isList, isNumber, typeName, type Value } from '../values/value.ts';
import { argument, type BuiltinTable, defineBuiltins } from './arguments.ts';
import { parseGoFloat } from './parse-float.ts';

const rounding =
  (name: string, round: (value: number) => number): BuiltinTable[string] =>
  args => {
    const value = argument(args, 0);
    return isNumber(value)
      ? round(Number(value))
      : fail(`invalid argument for ${name} (type ${interfaceTypeName(value)})`);
  };

/** Go rounds halves away from zero. */
export const roundHalfAway = (value: number): number => (value < 0 ? -Math.round(-value) : Math.round(value));

/** The language's `int`, which is also Argo's `asInt`. */
export function toGoInt(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return truncate(value);
  if (value instanceof Duration) return value.nanoseconds;
  if (typeof value !== 'string') return fail(`invalid operation: int(${typeName(value)})`);
  const isInt =
    /^[+-]?\d{1,19}$/.test(value) && toInt64(BigInt(value.replace('+', ''))) === BigInt(value.replace('+', ''));
  return isInt ? BigInt(value.replace('+', '')) : fail(`invalid operation: int(${value})`);
}

/** The language's `float`, which is also Argo's `asFloat`. */
export function toGoFloat(value: Value): number {
  if (isNumber(value)) return Number(value);
  if (typeof value !== 'string') return fail(`invalid operation: float(${typeName(value)})`);
  return parseGoFloat(value) ?? fail(`invalid operation: float(${value})`);
}

/** All numbers of arguments, within lists too. */
function* numbersIn(name: string, values: readonly Value[], meter: Meter): Generator<bigint | number> {
  for (const value of values) {
    meter.charge(1);
    if (isNumber(value)) yield value;
    else if (isList(value)) yield* numbersIn(name, value, meter);
    else fail(`invalid argument for ${name} (type ${interfaceTypeName(value)})`);
  }
}

const extreme =
  (name: string, sign: 1 | -1): BuiltinTable[string] =>
  (args, { meter }) => {
    const [only] = args;
    if (args.length === 1 && only !== undefined && !isList(only) && !isNumber(only)) return only;
    let best: Value = null;
    for (const value of numbersIn(name, args, meter)) {
      if (best === null || sign * compare(value, best, '<') > 0) best = value;
    }
    return best;
  };

function mean(args: readonly Value[], meter: Meter): number {
  const numbers = [...numbersIn('mean', args, meter)];
  return numbers.length === 0 ? 0 : numbers.reduce((sum: number, value) => sum + Number(value), 0) / numbers.length;
}

function median(args: readonly Value[], meter: Meter): number {
  const numbers = [...numbersIn('median', args, meter)].map(Number).sort((a, b) => a - b);
  const middle = numbers.length >> 1;
  const upper = numbers[middle] ?? 0;
  return numbers.length % 2 === 1 ? upper : ((numbers[middle - 1] ?? 0) + upper) / 2;
}

const bits =
  (name: string, combine: (a: bigint, b: bigint) => bigint): BuiltinTable[string] =>
  args => {
    const [a, b] = [argument(args, 0), argument(args, 1)];
    if (typeof a !== 'bigint') return fail(`cannot use ${typeName(a)} as argument (type int) to call ${name}`);
    if (typeof b !== 'bigint') return fail(`cannot use ${typeName(b)} as argument (type int) to call ${name}`);
    return toInt64(combine(a, b));
  };

const shift =
  (combine: (a: bigint, by: bigint) => bigint) =>
  (a: bigint, by: bigint): bigint => {
    if (by < 0n) fail(`invalid operation: negative shift count ${by} (type int)`);
    return combine(a, by > 64n ? 64n : by);
  };

const many = Number.POSITIVE_INFINITY;

/** The language's functions for numbers. */
export const numberBuiltins: BuiltinTable = defineBuiltins({
  abs: [
    1,
    1,
    args => {
      const value = argument(args, 0);
      if (typeof value === 'bigint') return toInt64(value < 0n ? -value : value);
      return typeof value === 'number'
        ? Math.abs(value)
        : fail(`invalid argument for abs (type ${interfaceTypeName(value)})`);
    },
  ],
  ceil: [1, 1, rounding('ceil', Math.ceil)],
  floor: [1, 1, rounding('floor', Math.floor)],
  round: [1, 1, rounding('round', roundHalfAway)],
  int: [1, 1, args => toGoInt(argument(args, 0))],
  float: [1, 1, args => toGoFloat(argument(args, 0))],
  string: [1, 1, (args, { meter }) => formatValue(argument(args, 0), meter)],
  max: [1, many, extreme('max', 1)],
  min: [1, many, extreme('min', -1)],
  mean: [1, many, (args, { meter }) => mean(args, meter)],
  median: [1, many, (args, { meter }) => median(args, meter)],
  bitand: [2, 2, bits('bitand', (a, b) => a & b)],
  bitor: [2, 2, bits('bitor', (a, b) => a | b)],
  bitxor: [2, 2, bits('bitxor', (a, b) => a ^ b)],
  bitnand: [2, 2, bits('bitnand', (a, b) => a & ~b)],
  bitshl: [
    2,
    2,
    bits(
      'bitshl',
      shift((a, by) => a << by),
    ),
  ],
  bitshr: [
    2,
    2,
    bits(
      'bitshr',
      shift((a, by) => a >> by),
    ),
  ],
  bitushr: [
    2,
    2,
    bits(
      'bitushr',
      shift((a, by) => BigInt.asUintN(64, a) >> by),
    ),
  ],
  bitnot: [1, 1, (args, frame) => bits('bitnot', a => ~a)([argument(args, 0), 0n], frame)],
});
