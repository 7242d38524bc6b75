import { identical } from '../../values/equality.ts';
import { fail } from '../../values/failure.ts';
import { formatValue } from '../../values/format-value.ts';
import type { Meter } from '../../values/meter.ts';
import { compareText, isList, type Value } from '../../values/value.ts';
import { castInt, isEmpty, kindName, listOf, textOf, textsOf } from './convert.ts';
import { type Arguments, type SprigTable, sprig } from './signature.ts';

const list = sprig('…any', args => args.values);

const push = sprig('any any', args => [...listOf(args.any(0), 'Cannot push on type'), args.any(1)]);
const prepend = sprig('any any', args => [args.any(1), ...listOf(args.any(0), 'Cannot prepend on type')]);

/** A function of one list. */
const onList = (name: string, change: (items: readonly Value[], meter: Meter) => Value): SprigTable[string] =>
  sprig('any', (args, { meter }) => change(listOf(args.any(0), `Cannot ${name} on type`), meter));

/** The same function with and without `must`. */
const withMust = (name: string, body: SprigTable[string]): SprigTable => ({
  [name]: body,
  [`must${name.slice(0, 1).toUpperCase()}${name.slice(1)}`]: body,
});

const includes = (items: readonly Value[], item: Value, meter: Meter): boolean =>
  items.some(other => identical(item, other, meter));

function unique(items: readonly Value[], meter: Meter): Value[] {
  const found: Value[] = [];
  for (const item of items) if (!includes(found, item, meter)) found.push(item);
  return found;
}

function chunk(size: number, items: readonly Value[]): Value[] {
  if (size <= 0) return fail('runtime error: makeslice: len out of range');
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function slice(args: Arguments): Value {
  const items = args.any(0);
  if (!isList(items)) return fail(`list should be type of slice or array but ${kindName(items)}`);
  if (items.length === 0) return null;
  const start = Number(castInt(args.any(1)));
  const end = args.values.length > 2 ? Number(castInt(args.any(2))) : items.length;
  if (start < 0 || end > items.length || start > end) fail('reflect.Value.Slice: slice index out of bounds');
  return items.slice(start, end);
}

function concat(args: Arguments): Value {
  return args.values.flatMap(part => (isList(part) ? part : fail(`Cannot concat type ${kindName(part)} as list`)));
}

const has = sprig('any any', (args, { meter }) =>
  args.any(1) === null ? false : includes(listOf(args.any(1), 'Cannot find has on type'), args.any(0), meter),
);

/** nil for an empty list, as Go's nil slice. */
const unlessEmpty =
  (change: (items: readonly Value[]) => Value) =>
  (items: readonly Value[]): Value =>
    items.length === 0 ? null : change(items);

const maxItems = 1_000_000;

/** Numbers from `start` to before `stop`. */
export function countUp(start: number, stop: number, step: number, meter: Meter): bigint[] {
  const count = step === 0 ? 0 : Math.max(0, Math.ceil((stop - start) / step));
  if (count > maxItems) fail('memory budget exceeded');
  meter.charge(count);
  return Array.from({ length: count }, (_, index) => BigInt(start + index * step));
}

/** Numbers as sprig's `seq` prints them: from, step, to. */
function sequence(numbers: readonly number[], meter: Meter): string {
  const [first = 1, second = 1, third] = numbers;
  if (numbers.length === 0 || numbers.length > 3) return '';
  const [start, end] = numbers.length === 1 ? [1, first] : [first, third ?? second];
  const direction = end < start ? -1 : 1;
  const step = third === undefined ? direction : second;
  if (third !== undefined && direction < 0 && step > 0) return '';
  return formatValue(countUp(start, end + direction, step, meter), meter).slice(1, -1);
}

/** sprig's functions for lists. */
export const listFunctions: SprigTable = {
  list,
  tuple: list,
  append: push,
  mustAppend: push,
  ...withMust('push', push),
  ...withMust('prepend', prepend),
  ...withMust(
    'first',
    onList('find first', ([first = null]) => first),
  ),
  ...withMust(
    'last',
    onList('find last', items => items.at(-1) ?? null),
  ),
  ...withMust(
    'rest',
    onList(
      'find rest',
      unlessEmpty(items => items.slice(1)),
    ),
  ),
  ...withMust(
    'initial',
    onList(
      'find initial',
      unlessEmpty(items => items.slice(0, -1)),
    ),
  ),
  ...withMust(
    'reverse',
    onList('find reverse', items => items.toReversed()),
  ),
  ...withMust('uniq', onList('find uniq', unique)),
  ...withMust(
    'compact',
    onList('compact', items => items.filter(item => !isEmpty(item))),
  ),
  ...withMust(
    'without',
    sprig('any …any', (args, { meter }) =>
      listOf(args.any(0), 'Cannot find without on type').filter(item => !includes(args.from(1), item, meter)),
    ),
  ),
  ...withMust('has', has),
  ...withMust('slice', sprig('any …any', slice)),
  ...withMust(
    'chunk',
    sprig('int any', args => chunk(args.int(0), listOf(args.any(1), 'Cannot chunk type'))),
  ),
  concat: sprig('…any', concat),
  sortAlpha: sprig('any', (args, { meter }) =>
    isList(args.any(0)) ? textsOf(args.any(0), meter).sort(compareText) : [textOf(args.any(0), meter)],
  ),
  until: sprig('int', (args, { meter }) => countUp(0, args.int(0), args.int(0) < 0 ? -1 : 1, meter)),
  untilStep: sprig('int int int', (args, { meter }) => countUp(args.int(0), args.int(1), args.int(2), meter)),
  seq: sprig('…int', (args, { meter }) => sequence(args.values.map(Number), meter)),
};
