import { toInt64 } from '../../values/arithmetic.ts';
import { fail } from '../../values/failure.ts';
import { formatValue } from '../../values/format-value.ts';
import type { Value } from '../../values/value.ts';
import { toGoInt } from '../number-builtins.ts';
import { castFloat, castInt } from './convert.ts';
import { divideDecimals, multiplyDecimals, sumDecimals } from './decimals.ts';
import { type SprigTable, sprig } from './signature.ts';

const int = (value: Value): bigint => toInt64(castInt(value));

const pair = (combine: (a: bigint, b: bigint) => bigint): SprigTable[string] =>
  sprig('any any', args => toInt64(combine(int(args.any(0)), int(args.any(1)))));

const divisor = (value: bigint): bigint => (value === 0n ? fail('runtime error: integer divide by zero') : value);

const extreme = (isBetter: (candidate: bigint, best: bigint) => boolean): SprigTable[string] =>
  sprig('any …any', args =>
    args.values.map(int).reduce((best, candidate) => (isBetter(candidate, best) ? candidate : best)),
  );

const floats = (combine: (numbers: readonly number[]) => number): SprigTable[string] =>
  sprig('any …any', args => combine(args.values.map(castFloat)));

function round(value: number, places: number, roundOn: number): number {
  const power = 10 ** places;
  const digits = power * value;
  const rounded = digits - Math.trunc(digits) >= roundOn ? Math.ceil(digits) : Math.floor(digits);
  return rounded / power;
}

function atoi(text: string): bigint {
  return /^[+-]?\d{1,18}$/.test(text) ? toGoInt(text) : 0n;
}

/** The decimal value of octal digits. */
function fromOctal(text: string): bigint {
  return /^[0-7]{1,21}$/.test(text) ? BigInt(`0o${text}`) : 0n;
}

const max = extreme((candidate, best) => candidate > best);

/** sprig's functions for numbers. */
export const numberFunctions: SprigTable = {
  atoi: sprig('string', args => atoi(args.text(0))),
  int: sprig('any', args => int(args.any(0))),
  int64: sprig('any', args => int(args.any(0))),
  float64: sprig('any', args => castFloat(args.any(0))),
  toDecimal: sprig('any', (args, { meter }) => fromOctal(formatValue(args.any(0), meter))),
  add1: sprig('any', args => toInt64(int(args.any(0)) + 1n)),
  add: sprig('…any', args => toInt64(args.values.reduce((sum: bigint, value) => sum + int(value), 0n))),
  sub: pair((a, b) => a - b),
  div: pair((a, b) => a / divisor(b)),
  mod: pair((a, b) => a % divisor(b)),
  mul: sprig('any …any', args => args.values.reduce((product: bigint, value) => toInt64(product * int(value)), 1n)),
  add1f: sprig('any', args => sumDecimals([castFloat(args.any(0)), 1], 1)),
  addf: sprig('…any', args => sumDecimals(args.values.map(castFloat), 1)),
  subf: floats(numbers => sumDecimals(numbers, -1)),
  mulf: floats(multiplyDecimals),
  divf: floats(divideDecimals),
  max,
  biggest: max,
  min: extreme((candidate, best) => candidate < best),
  maxf: floats(numbers => Math.max(...numbers.slice(0, 1000))),
  minf: floats(numbers => Math.min(...numbers.slice(0, 1000))),
  ceil: sprig('any', args => Math.ceil(castFloat(args.any(0)))),
  floor: sprig('any', args => Math.floor(castFloat(args.any(0)))),
  round: sprig('any int …float64', args =>
    round(castFloat(args.any(0)), args.int(1), args.values.length > 2 ? Number(args.any(2)) : 0.5),
  ),
};
