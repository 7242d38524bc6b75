import { isIn } from '../values/access.ts';
import { add, compare, divide, modulo, multiply, negate, power, subtract, toInt } from '../values/arithmetic.ts';
import { equal } from '../values/equality.ts';
import { fail } from '../values/failure.ts';
import { Pattern } from '../values/pattern.ts';
import { Bytes, isNumber, typeName, type Value } from '../values/value.ts';
import type { Code, Frame } from './frame.ts';
import type { BinaryNode, Node, UnaryNode } from './node.ts';

/** The value as a bool; a failure as Go words it otherwise. */
export function toBool(value: Value): boolean {
  return typeof value === 'boolean'
    ? value
    : fail(`interface conversion: interface {} is ${interfaceTypeName(value)}, not bool`);
}

export const interfaceTypeName = (value: Value): string => (value === null ? 'nil' : typeName(value));

/** The value as a text. */
export function toText(value: Value): string {
  return typeof value === 'string'
    ? value
    : fail(`interface conversion: interface {} is ${interfaceTypeName(value)}, not string`);
}

type Operation = (a: Value, b: Value, frame: Frame) => Value;

const textTest =
  (test: (text: string, part: string) => boolean): Operation =>
  (a, b, { meter }) => {
    if (a === null || b === null) return false;
    meter.chargeText(toText(a).length);
    return test(toText(a), toText(b));
  };

const maxRange = 1_000_000n;

function makeRange(a: Value, b: Value, { meter }: Frame): Value {
  const from = toInt(a);
  const size = toInt(b) - from + 1n;
  if (size <= 0n) return [];
  if (size > maxRange) return fail('memory budget exceeded');
  meter.charge(Number(size));
  return Array.from({ length: Number(size) }, (_, index) => from + BigInt(index));
}

const operations: Readonly<Record<string, Operation>> = {
  '==': (a, b, { meter }) => equal(a, b, meter),
  '!=': (a, b, { meter }) => !equal(a, b, meter),
  '<': (a, b) => compare(a, b, '<') < 0,
  '>': (a, b) => compare(a, b, '>') > 0,
  '<=': (a, b) => compare(a, b, '<=') <= 0,
  '>=': (a, b) => compare(a, b, '>=') >= 0,
  '+': (a, b, { meter }) => add(a, b, meter),
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': modulo,
  '**': power,
  '^': power,
  '..': makeRange,
  in: (a, b, { meter }) => isIn(a, b, meter),
  contains: textTest((text, part) => text.includes(part)),
  startsWith: textTest((text, part) => text.startsWith(part)),
  endsWith: textTest((text, part) => text.endsWith(part)),
  matches: (a, b, frame) => (a === null || b === null ? false : matches(a, new Pattern(toText(b)), frame)),
};

function matches(value: Value, pattern: Pattern, { meter }: Frame): boolean {
  return pattern.test(value instanceof Bytes ? value.content.toString() : toText(value), meter);
}

export function compileBinary(node: BinaryNode, compile: (node: Node) => Code): Code {
  const { operator, position } = node;
  const left = compile(node.left);
  const right = compile(node.right);
  if (operator === '&&' || operator === 'and') return compileLogical(left, right, position, false);
  if (operator === '||' || operator === 'or') return compileLogical(left, right, position, true);
  if (operator === '??') return frame => left(frame) ?? right(frame);
  if (operator === 'matches' && node.right.type === 'literal') return compileMatch(left, node.right.value, position);
  const operation = operations[operator];
  if (operation === undefined) throw new Error(`operator ${operator} has no implementation`);
  return frame => {
    const a = left(frame);
    const b = right(frame);
    frame.meter.charge(1);
    frame.position = position;
    return operation(a, b, frame);
  };
}

/** The right side is evaluated only when the left one does not decide. */
function compileLogical(left: Code, right: Code, position: number, decisive: boolean): Code {
  const evaluate = (code: Code, frame: Frame): boolean => {
    const value = code(frame);
    frame.position = position;
    return toBool(value);
  };
  return frame => {
    frame.meter.charge(1);
    return evaluate(left, frame) === decisive ? decisive : evaluate(right, frame);
  };
}

/** A pattern that is a literal is compiled once. */
function compileMatch(left: Code, source: Value, position: number): Code {
  let pattern: Pattern | undefined;
  return frame => {
    const value = left(frame);
    frame.position = position;
    pattern ??= new Pattern(toText(source));
    return value === null ? false : matches(value, pattern, frame);
  };
}

export function compileUnary({ operator, operand, position }: UnaryNode, compile: (node: Node) => Code): Code {
  const code = compile(operand);
  const operation = unaryOperations[operator] ?? ((value: Value): Value => !toBool(value));
  return frame => {
    const value = code(frame);
    frame.meter.charge(1);
    frame.position = position;
    return operation(value);
  };
}

const unaryOperations: Readonly<Record<string, (value: Value) => Value>> = {
  '-': negate,
  '+': value => (isNumber(value) ? value : fail(`invalid operation: + (mismatched type ${typeName(value)})`)),
};
