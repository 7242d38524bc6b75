import { add, compare } from '../values/arithmetic.ts';
import { fail } from '../values/failure.ts';
import { AnyMap, isList, type Value } from '../values/value.ts';
import { interfaceTypeName, toBool } from './compile-operators.ts';
import type { Code, Frame } from './frame.ts';

/** Arguments of a function that evaluates a closure for each item of a list. */
interface ClosureCall {
  readonly frame: Frame;
  readonly list: readonly Value[];
  readonly hasClosure: boolean;
  /** The third argument; undefined when there is none. */
  readonly extra: Value | undefined;
  /** Evaluates the closure. */
  readonly apply: (index: number, accumulator?: Value) => Value;
}

const test = ({ apply }: ClosureCall, index: number): boolean => toBool(apply(index));

const indexOf = (call: ClosureCall): number => call.list.findIndex((_, index) => test(call, index));
const lastIndexOf = (call: ClosureCall): number => call.list.findLastIndex((_, index) => test(call, index));
const itemAt = ({ list }: ClosureCall, index: number): Value => list[index] ?? null;
const indexValue = (index: number): Value => (index < 0 ? null : BigInt(index));

/** The closure's value, or the item itself when there is no closure. */
const valueAt = (call: ClosureCall, index: number): Value =>
  call.hasClosure ? call.apply(index) : itemAt(call, index);

const functions: Readonly<Record<string, (call: ClosureCall) => Value>> = {
  all: call => call.list.every((_, index) => test(call, index)),
  none: call => !call.list.some((_, index) => test(call, index)),
  any: call => call.list.some((_, index) => test(call, index)),
  one: call => call.list.filter((_, index) => test(call, index)).length === 1,
  filter: call => call.list.filter((_, index) => test(call, index)),
  map: call => call.list.map((_, index) => call.apply(index)),
  find: call => itemAt(call, indexOf(call)),
  findIndex: call => indexValue(indexOf(call)),
  findLast: call => itemAt(call, lastIndexOf(call)),
  findLastIndex: call => indexValue(lastIndexOf(call)),
  count: call => BigInt(call.list.filter((_, index) => toBool(valueAt(call, index))).length),
  sum: call => call.list.reduce<Value>((sum, _, index) => add(valueAt(call, index), sum, call.frame.meter), 0n),
  groupBy,
  sortBy,
  reduce,
};

function groupBy({ list, apply }: ClosureCall): Value {
  const groups = new Map<Value, Value[]>();
  for (const [index, item] of list.entries()) {
    const key = apply(index);
    if (typeof key === 'object' && key !== null) {
      fail(`cannot use ${interfaceTypeName(key)} as a key for groupBy: type is not comparable`);
    }
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return new AnyMap(groups, 'map[interface {}][]interface {}');
}

function sortBy({ list, apply, extra, frame }: ClosureCall): Value {
  const direction = readOrder(extra, 'sortBy order argument must be a string', 'unknown order, use asc or desc');
  const keyed = list.map((item, index) => ({ item, key: apply(index) }));
  frame.meter.charge(list.length * Math.ceil(Math.log2(list.length + 1)));
  return keyed.sort((a, b) => direction * compare(a.key, b.key, '<')).map(({ item }) => item);
}

/** 1 for ascending, -1 for descending. */
export function readOrder(order: Value | undefined, notText: string, unknown: string): 1 | -1 {
  if (order === undefined || order === 'asc') return 1;
  if (typeof order !== 'string') return fail(notText);
  return order === 'desc' ? -1 : fail(unknown);
}

function reduce({ list, apply, extra }: ClosureCall): Value {
  const [first] = list;
  if (extra === undefined && first === undefined) return fail('reduce of empty array with no initial value');
  let accumulator = extra ?? first ?? null;
  for (let index = extra === undefined ? 1 : 0; index < list.length; index++) accumulator = apply(index, accumulator);
  return accumulator;
}

/** Compiles the call of a function with a closure. */
export function compileClosureCall(name: string, position: number, args: readonly Code[]): Code {
  const call = functions[name];
  const [readList, closure, readExtra] = args;
  if (call === undefined || readList === undefined) throw new Error(`function ${name} has no implementation`);
  return frame => {
    const list = readList(frame);
    frame.position = position;
    if (!isList(list)) return fail(`builtin ${name} takes only array (got ${interfaceTypeName(list)})`);
    const outer = frame.scope;
    const apply = (index: number, accumulator: Value = null): Value => {
      frame.meter.charge(1);
      frame.scope = { item: list[index] ?? null, index, accumulator };
      const value = closure?.(frame) ?? null;
      frame.position = position;
      return value;
    };
    try {
      frame.meter.charge(1 + list.length);
      return call({ frame, list, hasClosure: closure !== undefined, extra: readExtra?.(frame), apply });
    } finally {
      frame.scope = outer;
    }
  };
}
