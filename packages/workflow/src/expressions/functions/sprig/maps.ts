import { fail } from '../../values/failure.ts';
import type { Meter } from '../../values/meter.ts';
import {
  createMap,
  isStringMap,
  ownValue,
  type StringMap,
  sortedEntries,
  typeName,
  type Value,
} from '../../values/value.ts';
import { isEmpty, textOf } from './convert.ts';
import { type Arguments, type SprigTable, sprig } from './signature.ts';

/** A copy with some keys more or fewer. sprig changes its argument; values are never changed here. */
function copyOf(map: StringMap, meter: Meter): Record<string, Value> {
  const entries = Object.entries(map);
  meter.charge(entries.length);
  return createMap(entries);
}

function set(args: Arguments, meter: Meter): Value {
  const copy = copyOf(args.map(0), meter);
  copy[args.text(1)] = args.any(2);
  return copy;
}

function without(map: StringMap, keys: readonly Value[], meter: Meter): Value {
  meter.charge(keys.length);
  const copy = copyOf(map, meter);
  for (const key of keys) delete copy[key as string];
  return copy;
}

function pick(map: StringMap, keys: readonly Value[]): Value {
  return createMap(
    keys.flatMap(key =>
      Object.hasOwn(map, key as string) ? [[key as string, ownValue(map, key as string) ?? null] as const] : [],
    ),
  );
}

function dict(args: Arguments, meter: Meter): Value {
  const map = createMap();
  for (let index = 0; index < args.values.length; index += 2) {
    map[textOf(args.any(index), meter)] = index + 1 < args.values.length ? args.any(index + 1) : '';
  }
  return map;
}

/** Maps are merged deeply. Without `overwrites` only what is missing or empty is taken from the other. */
function merge(target: StringMap, source: StringMap, overwrites: boolean, meter: Meter): Record<string, Value> {
  const copy = copyOf(target, meter);
  for (const [key, value] of Object.entries(source)) {
    meter.charge(1);
    const own = ownValue(copy, key);
    if (own !== undefined && isStringMap(own) && isStringMap(value)) copy[key] = merge(own, value, overwrites, meter);
    else if (own === undefined || (overwrites ? !isEmpty(value) : isEmpty(own))) copy[key] = value;
  }
  return copy;
}

const mergeAll = (overwrites: boolean): SprigTable[string] =>
  sprig('map …map', (args, { meter }) =>
    args
      .from(1)
      .reduce<StringMap>((merged, source) => merge(merged, source as StringMap, overwrites, meter), args.map(0)),
  );

function dig(args: Arguments): Value {
  const { values } = args;
  if (values.length < 3) return fail('dig needs at least three arguments');
  const otherwise = values.at(-2) ?? null;
  let value: Value = values.at(-1) ?? null;
  for (const key of values.slice(0, -2)) {
    if (!isStringMap(value))
      return fail(`interface conversion: interface {} is ${typeName(value)}, not map[string]interface {}`);
    if (typeof key !== 'string') return fail(`interface conversion: interface {} is ${typeName(key)}, not string`);
    const next = ownValue(value, key);
    if (next === undefined) return otherwise;
    value = next;
  }
  return value;
}

const keysOf = (maps: readonly Value[]): Value =>
  maps.flatMap(map => sortedEntries(map as StringMap).map(([key]) => key));

/** sprig's functions for maps. */
export const mapFunctions: SprigTable = {
  dict: sprig('…any', (args, { meter }) => dict(args, meter)),
  get: sprig('map string', args => ownValue(args.map(0), args.text(1)) ?? ''),
  set: sprig('map string any', (args, { meter }) => set(args, meter)),
  unset: sprig('map string', (args, { meter }) => without(args.map(0), [args.text(1)], meter)),
  hasKey: sprig('map string', args => Object.hasOwn(args.map(0), args.text(1))),
  pluck: sprig('string …map', args =>
    args
      .from(1)
      .flatMap(map =>
        Object.hasOwn(map as StringMap, args.text(0)) ? [ownValue(map as StringMap, args.text(0)) ?? null] : [],
      ),
  ),
  keys: sprig('…map', args => keysOf(args.values)),
  values: sprig('map', args => sortedEntries(args.map(0)).map(([, value]) => value)),
  pick: sprig('map …string', args => pick(args.map(0), args.from(1))),
  omit: sprig('map …string', (args, { meter }) => without(args.map(0), args.from(1), meter)),
  merge: mergeAll(false),
  mustMerge: mergeAll(false),
  mergeOverwrite: mergeAll(true),
  mustMergeOverwrite: mergeAll(true),
  deepCopy: sprig('any', args => args.any(0)),
  mustDeepCopy: sprig('any', args => args.any(0)),
  dig: sprig('…any', dig),
};
