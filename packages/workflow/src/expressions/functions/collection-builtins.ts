import { readOrder } from '../language/closures.ts';
import { interfaceTypeName } from '../language/compile-operators.ts';
import { findMember, lengthOf } from '../values/access.ts';
import { compare } from '../values/arithmetic.ts';
import { characterCount } from '../values/byte-text.ts';
import { equal } from '../values/equality.ts';
import { fail } from '../values/failure.ts';
import { formatValue } from '../values/format-value.ts';
import type { Meter } from '../values/meter.ts';
import { AnyMap, isList, isStringMap, sortedEntries, typeName, type Value } from '../values/value.ts';
import { argument, type BuiltinTable, defineBuiltins, kindOf, listArgument } from './arguments.ts';

type Builtin = BuiltinTable[string];

const exactly =
  (count: number, body: Builtin): Builtin =>
  (args, frame) =>
    args.length === count
      ? body(args, frame)
      : fail(`invalid number of arguments (expected ${count}, got ${args.length})`);

const many = Number.POSITIVE_INFINITY;

function length(value: Value): bigint {
  if (typeof value === 'string') return BigInt(characterCount(value));
  return BigInt(lengthOf(value) ?? fail(`invalid argument for len (type ${interfaceTypeName(value)})`));
}

const typeNames: Readonly<Record<string, string>> = {
  '<nil>': 'nil',
  float64: 'float',
  '[]interface {}': 'array',
  '[]uint8': 'array',
  'map[string]interface {}': 'map',
  '*time.Location': 'unknown',
};

const typeOf = (value: Value): string =>
  value instanceof AnyMap ? 'map' : (typeNames[typeName(value)] ?? typeName(value));

function entriesOf(
  value: Value,
  { meter }: { readonly meter: Meter },
  refusal: (kind: string) => string,
): readonly (readonly [Value, Value])[] {
  const isMap = value instanceof AnyMap || isStringMap(value);
  if (!isMap) return fail(refusal(kindOf(value)));
  const entries = value instanceof AnyMap ? [...value.entries] : sortedEntries(value);
  meter.charge(entries.length);
  return entries;
}

function take(args: readonly Value[], count: Value, list: readonly Value[]): Value {
  if (typeof count !== 'bigint') return fail(`cannot take ${kindOf(count)} elements`);
  if (count < 0n) return fail('reflect.Value.Slice: slice index out of bounds');
  return args.length === 0 ? null : list.slice(0, Number(count));
}

function fromPairs(pairs: readonly Value[], meter: Meter): Value {
  const entries = pairs.map(pair => {
    if (!isList(pair)) return fail(`invalid pair ${formatValue(pair, meter)}`);
    if (pair.length !== 2) return fail(`invalid pair length ${formatValue(pair, meter)}`);
    return [pair[0] ?? null, pair[1] ?? null] as const;
  });
  return new AnyMap(new Map(entries));
}

function* flatten(list: readonly Value[], meter: Meter): Generator<Value> {
  for (const item of list) {
    meter.charge(1);
    if (isList(item)) yield* flatten(item, meter);
    else yield item;
  }
}

function unique(list: readonly Value[], meter: Meter): Value[] {
  const found: Value[] = [];
  for (const item of list) if (!found.some(other => equal(item, other, meter))) found.push(item);
  return found;
}

function concatenate(args: readonly Value[], meter: Meter): Value[] {
  const lists = args.map(arg => (isList(arg) ? arg : fail(`cannot concat ${kindOf(arg)}`)));
  meter.charge(lists.reduce((sum, list) => sum + list.length, 0));
  return lists.flat(1);
}

function sort(args: readonly Value[], list: readonly Value[], meter: Meter): Value[] {
  const order = argument(args, 1);
  const direction = readOrder(
    args.length === 2 ? order : undefined,
    `sort order argument must be a string (got ${typeName(order)})`,
    `invalid order ${typeof order === 'string' ? order : ''}, expected asc or desc`,
  );
  meter.charge(list.length * Math.ceil(Math.log2(list.length + 1)));
  return [...list].sort((a, b) => direction * compare(a, b, '<'));
}

/** The language's functions for lists and maps, besides those with closures. */
export const collectionBuiltins: BuiltinTable = {
  len: exactly(1, args => length(argument(args, 0))),
  first: exactly(1, ([list = null], { meter }) => findItem(list, 0n, meter)),
  last: exactly(1, ([list = null], { meter }) => findItem(list, -1n, meter)),
  take: exactly(2, (args, frame) => take(args, argument(args, 1), listArgument(args, 0, frame, 'cannot take from'))),
  keys: exactly(1, ([map = null], frame) =>
    entriesOf(map, frame, kind => `cannot get keys from ${kind}`).map(([key]) => key),
  ),
  values: exactly(1, ([map = null], frame) =>
    entriesOf(map, frame, kind => `cannot get values from ${kind}`).map(([, value]) => value),
  ),
  toPairs: exactly(1, ([map = null], frame) =>
    entriesOf(map, frame, kind => `cannot transform ${kind} to pairs`).map(([key, value]) => [key, value]),
  ),
  fromPairs: exactly(1, (args, frame) =>
    fromPairs(listArgument(args, 0, frame, 'cannot transform from pairs'), frame.meter),
  ),
  reverse: exactly(1, (args, frame) => listArgument(args, 0, frame, 'cannot reverse').toReversed()),
  uniq: exactly(1, (args, frame) => unique(listArgument(args, 0, frame, 'cannot uniq'), frame.meter)),
  flatten: exactly(1, (args, frame) => [...flatten(listArgument(args, 0, frame, 'cannot flatten'), frame.meter)]),
  ...defineBuiltins({
    type: [1, 1, args => typeOf(argument(args, 0))],
    concat: [1, many, (args, { meter }) => concatenate(args, meter)],
    sort: [1, 2, (args, frame) => sort(args, listArgument(args, 0, frame, 'cannot sort'), frame.meter)],
  }),
  get: (args, { meter }) => {
    const [base = null, key = null] = args;
    if (args.length < 2) fail(`invalid number of arguments (expected 2, got ${args.length})`);
    return base === null ? null : (findMember(base, key, meter) ?? null);
  },
};

function findItem(list: Value, index: bigint, meter: Meter): Value {
  return isList(list) || typeof list === 'string' ? (findMember(list, index, meter) ?? null) : null;
}
