import { fail } from '../values/failure.ts';
import { formatFloat } from '../values/format-value.ts';
import { Meter } from '../values/meter.ts';
import { Pattern } from '../values/pattern.ts';
import { compareText } from '../values/value.ts';
import type { WhenToken } from './token.ts';

export type WhenValue = string | number | boolean | undefined | readonly WhenValue[];

/** Operators from the weakest to the strongest; all associate to the left. */
const levels: readonly (readonly string[])[] = [
  [','],
  ['?', ':', '??'],
  ['||'],
  ['&&'],
  ['==', '!=', '>', '>=', '<', '<=', '=~', '!~', 'in'],
  ['^', '&', '|'],
  ['>>', '<<'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
];

const operatorKinds: ReadonlySet<string> = new Set(['SEPARATOR', 'COMPARATOR', 'LOGICALOP', 'MODIFIER', 'TERNARY']);
const maxNesting = 200;
const matchCost = 1_000_000;

/** The value of a condition. Throws a Failure as govaluate words it. */
export const evaluateTokens = (tokens: readonly WhenToken[]): WhenValue => new Evaluator(tokens).evaluate();

/** A part that is evaluated only when it is needed. */
type Thunk = () => WhenValue;

class Evaluator {
  readonly #tokens: readonly WhenToken[];
  #at = 0;
  #nesting = 0;

  constructor(tokens: readonly WhenToken[]) {
    this.#tokens = tokens;
  }

  /** What follows a whole expression is ignored, as in `(true) false`. */
  evaluate(): WhenValue {
    return this.#parseLevel(0)();
  }

  #parseLevel(level: number): Thunk {
    const operators = levels[level];
    if (operators === undefined) return this.#parseValue();
    let left = this.#parseLevel(level + 1);
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token === undefined || !operatorKinds.has(token.kind) || !operators.includes(String(token.value)))
        return left;
      this.#at++;
      const [a, operator, b] = [left, String(token.value), this.#parseLevel(level + 1)];
      left = () => applyOperator(operator, a, b);
    }
  }

  #parseValue(): Thunk {
    const token = this.#tokens[this.#at++];
    if (token === undefined) return () => undefined;
    if (token.kind === 'CLAUSE') return this.#parseClause();
    if (token.kind === 'CLAUSE_CLOSE') {
      this.#at--;
      return () => undefined;
    }
    if (token.kind === 'PREFIX') {
      const operand = this.#nest(() => this.#parseValue());
      return () => applyPrefix(String(token.value), operand());
    }
    if (token.kind === 'ACCESSOR') return () => fail(`No parameter '${String(token.value).split('.')[0]}' found.`);
    return () => token.value;
  }

  #parseClause(): Thunk {
    const inner = this.#nest(() => this.#parseLevel(0));
    this.#at++;
    return inner;
  }

  #nest(parse: () => Thunk): Thunk {
    if (++this.#nesting > maxNesting) fail('expression is nested too deeply');
    const thunk = parse();
    this.#nesting--;
    return thunk;
  }
}

function applyPrefix(symbol: string, value: WhenValue): WhenValue {
  if (symbol === '!' && typeof value === 'boolean') return !value;
  if (symbol === '-' && typeof value === 'number') return -value;
  if (symbol === '~' && typeof value === 'number') return Number(~BigInt(Math.trunc(value)));
  return fail(`Value '${showValue(value)}' cannot be used with the prefix '${symbol}'`);
}

function applyOperator(operator: string, left: Thunk, right: Thunk): WhenValue {
  const a = left();
  switch (operator) {
    case '&&':
      return a === false ? false : bothBooleans(operator, a, right());
    case '||':
      return a === true ? true : !bothBooleans(operator, a, right(), false);
    case '?':
      return requireBoolean(a, '?') ? right() : undefined;
    case ':':
    case '??':
      return a ?? right();
    case ',':
      return [...(Array.isArray(a) ? (a as readonly WhenValue[]) : [a]), right()];
    default:
      return isModifier(operator) ? calculate(operator, a, right()) : compareValues(operator, a, right());
  }
}

function requireBoolean(value: WhenValue, symbol: string): boolean {
  if (typeof value === 'boolean') return value;
  return fail(`Value '${showValue(value)}' cannot be used with the ternary operator '${symbol}', it is not a bool`);
}

/** Whether both are `expected`. */
function bothBooleans(operator: string, a: WhenValue, b: WhenValue, expected = true): boolean {
  for (const value of [a, b]) {
    if (typeof value !== 'boolean') {
      fail(`Value '${showValue(value)}' cannot be used with the logical operator '${operator}', it is not a bool`);
    }
  }
  return a === expected && b === expected;
}

const isModifier = (operator: string): boolean => levels.slice(5).some(level => level.includes(operator));

function calculate(operator: string, a: WhenValue, b: WhenValue): WhenValue {
  if (operator === '+' && (typeof a === 'string' || typeof b === 'string')) return showValue(a) + showValue(b);
  if (typeof a !== 'number' || (typeof b !== 'number' && operator === '+')) return notNumber(operator, a, 'modifier');
  if (typeof b !== 'number') return notNumber(operator, b, 'modifier');
  return calculations[operator]?.(a, b);
}

const notNumber = (operator: string, value: WhenValue, role: string): never =>
  fail(
    `Value '${showValue(value)}' cannot be used with the ${role} '${operator === '==' ? '=' : operator}', it is not a number`,
  );

const onInts =
  (combine: (a: bigint, b: bigint) => bigint) =>
  (a: number, b: number): number =>
    Number(BigInt.asIntN(64, combine(BigInt(Math.trunc(a)), BigInt(Math.trunc(b)))));

const shiftBy = (b: bigint): bigint => (b < 0n || b > 64n ? 64n : b);

const calculations: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
  '&': onInts((a, b) => a & b),
  '|': onInts((a, b) => a | b),
  '^': onInts((a, b) => a ^ b),
  '<<': onInts((a, b) => a << shiftBy(b)),
  '>>': onInts((a, b) => BigInt.asUintN(64, a) >> shiftBy(b)),
};

function compareValues(operator: string, a: WhenValue, b: WhenValue): boolean {
  if (operator === '==') return isSame(a, b);
  if (operator === '!=') return !isSame(a, b);
  if (operator === 'in')
    return Array.isArray(b) ? (b as readonly WhenValue[]).includes(a) : notNumber(operator, b, 'comparator');
  if (operator === '=~' || operator === '!~') return matches(operator, a, b) === (operator === '=~');
  return order(operator, a, b);
}

const isSame = (a: WhenValue, b: WhenValue): boolean =>
  Array.isArray(a) && Array.isArray(b) ? JSON.stringify(a) === JSON.stringify(b) : a === b;

function matches(operator: string, a: WhenValue, b: WhenValue): boolean {
  if (typeof a !== 'string') return notNumber(operator, a, 'comparator');
  if (typeof b !== 'string') return notNumber(operator, b, 'comparator');
  return new Pattern(b).test(a, new Meter(matchCost));
}

function order(operator: string, a: WhenValue, b: WhenValue): boolean {
  const isText = typeof a === 'string' && typeof b === 'string';
  if (!isText && (typeof a !== 'number' || typeof b !== 'number')) return notNumber(operator, a, 'comparator');
  const difference = isText ? compareText(a, b) : Number(a) - Number(b);
  if (operator === '<') return difference < 0;
  if (operator === '>') return difference > 0;
  return operator === '<=' ? difference <= 0 : difference >= 0;
}

/** A value as Go's `%v` prints it. */
export function showValue(value: WhenValue): string {
  if (value === undefined) return '<nil>';
  if (typeof value === 'number') return formatFloat(value);
  return Array.isArray(value) ? `[${(value as readonly WhenValue[]).map(showValue).join(' ')}]` : String(value);
}
