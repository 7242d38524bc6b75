import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import fc from 'fast-check';
import { MemoryTable } from './memory-table.ts';
import { comparePlaces } from './ordered-rows.ts';
import type { TableQuery } from './table.ts';

interface Item {
  readonly id: string;
  readonly uid: string;
  readonly revision: number;
  readonly createdAt: string;
  readonly colour: string | undefined;
  readonly tags: readonly string[];
}
type Index = 'colour' | 'tag';
type Query = TableQuery<Item, Index>;

const colours = ['red', 'green', 'blue'] as const;
const tags = ['a', 'b', 'c', 'd'] as const;

const termsOf = { colour: ({ colour }: Item) => colour, tag: (item: Item) => item.tags };
const newTable = (): MemoryTable<Item, Index> => new MemoryTable({ indexes: termsOf, logger: silentLogger });

/** Few ids and times, so that rows are replaced, move and tie. */
const item = (ids: number): fc.Arbitrary<Item> =>
  fc.record({
    id: fc.nat(ids).map(id => `id-${id}`),
    uid: fc.constantFrom('u1', 'u1', 'u1', 'u2'),
    revision: fc.constant(1),
    createdAt: fc.nat(20).map(time => `2030-01-01T00:00:00.${String(time).padStart(6, '0')}Z`),
    colour: fc.constantFrom(...colours, undefined),
    tags: fc.array(fc.constantFrom(...tags), { maxLength: 3 }),
  });

const clause = fc.oneof(
  fc.record({ index: fc.constant<Index>('colour'), values: fc.array(fc.constantFrom<string>(...colours, 'none')) }),
  fc.record({ index: fc.constant<Index>('tag'), values: fc.array(fc.constantFrom<string>(...tags, 'none')) }),
);

const query = (ids: number): fc.Arbitrary<Query> =>
  fc.record(
    {
      where: fc.array(clause, { maxLength: 3 }),
      filter: fc.constant(({ id }: Item) => id.endsWith('1')),
      after: item(ids).map(({ createdAt, id }) => ({ createdAt, id })),
      limit: fc.nat(10),
    },
    { requiredKeys: [] },
  );

type Step = { readonly put: Item } | { readonly remove: string };

const steps = (ids: number, maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: item(ids).map(put => ({ put })) },
      { weight: 1, arbitrary: fc.nat(ids).map(id => ({ remove: `id-${id}` })) },
    ),
    { maxLength, size: 'max' },
  );

function take(step: Step, table: MemoryTable<Item, Index>, model: Map<string, Item>): void {
  if ('put' in step) {
    table.put(step.put);
    model.set(step.put.id, step.put);
  } else {
    table.remove(step.remove);
    model.delete(step.remove);
  }
}

const has = (row: Item, { index, values }: NonNullable<Query['where']>[number]): boolean =>
  values.some(value => (index === 'colour' ? row.colour === value : row.tags.includes(value)));

/** What a query means, without any cleverness. */
function naive(
  model: Map<string, Item>,
  { where = [], filter = () => true, after, limit = Number.POSITIVE_INFINITY }: Query,
) {
  const matching = [...model.values()].filter(row => where.every(each => has(row, each)) && filter(row));
  const rest = matching.sort(comparePlaces).filter(row => after === undefined || comparePlaces(row, after) > 0);
  return { rows: rest.slice(0, limit), total: matching.length, more: rest.length > limit };
}

function assertSame(table: MemoryTable<Item, Index>, model: Map<string, Item>): void {
  assert.deepEqual([...table.all()], [...model.values()].sort(comparePlaces));
  assert.equal(table.size, model.size);
  for (const colour of colours) {
    const expected = [...model.values()].filter(row => row.colour === colour);
    assert.equal(table.count('colour', colour), expected.length);
    assert.deepEqual(new Set(table.by('colour', colour)), new Set(expected));
    assertNewestFirst(table, expected, { index: 'colour', value: colour });
  }
  assertNewestFirst(table, [...model.values()]);
}

/** Compares the rows in reverse, as a whole and before one that is there or just beside it. */
function assertNewestFirst(
  table: MemoryTable<Item, Index>,
  rows: Item[],
  where?: { index: Index; value: string },
): void {
  const sorted = rows.toSorted((one, other) => comparePlaces(other, one));
  const read = (before?: Pick<Item, 'createdAt' | 'id'>) => [
    ...table.newestFirst({ ...(where && { where }), ...(before && { before }) }),
  ];
  assert.deepEqual(read(), sorted);
  const middle = Math.floor(sorted.length / 2);
  const place = sorted[middle];
  if (place === undefined) return;
  assert.deepEqual(read(place), sorted.slice(middle + 1));
  const absent = { createdAt: place.createdAt, id: `${place.id}~` };
  assert.deepEqual(
    read(absent),
    sorted.filter(row => comparePlaces(row, absent) < 0),
  );
}

test('a table answers what a search through all rows would', () => {
  fc.assert(
    fc.property(steps(30, 80), fc.array(query(30), { minLength: 1, maxLength: 5 }), (all, queries) => {
      const table = newTable();
      const model = new Map<string, Item>();
      for (const step of all) take(step, table, model);
      assertSame(table, model);
      for (const each of queries) assert.deepEqual(table.query(each), naive(model, each));
    }),
    { numRuns: 300 },
  );
});

/** Many rows, spread evenly, which generators that prefer small values would not give. */
function manySteps(seed: number, count: number): Step[] {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return Array.from({ length: count }, (): Step => {
    const id = `id-${below(3000)}`;
    if (below(4) === 0) return { remove: id };
    const createdAt = `2030-01-01T00:00:00.${String(below(1_000_000)).padStart(6, '0')}Z`;
    const [colour, tag] = [colours[below(4)], tags[below(4)] ?? 'a'];
    return { put: { id, uid: 'u1', revision: 1, createdAt, colour, tags: [tag, 'e'] } };
  });
}

test('so does a large one, whose rows fill many blocks', () => {
  fc.assert(
    fc.property(fc.integer(), fc.array(query(3000), { minLength: 3 }), (seed, queries) => {
      const table = newTable();
      const model = new Map<string, Item>();
      for (const step of manySteps(seed, 6000)) take(step, table, model);
      assert.ok(model.size > 1500);
      assertSame(table, model);
      for (const each of queries) assert.deepEqual(table.query(each), naive(model, each));
      for (const id of [...model.keys()]) take({ remove: id }, table, model);
      assertSame(table, model);
    }),
    { numRuns: 5 },
  );
});

test('pages that follow each other make up the whole', () => {
  const table = newTable();
  for (const step of manySteps(1, 6000)) take(step, table, new Map());
  const where = [{ index: 'tag', values: ['a', 'b'] }] as const;
  const rows: Item[] = [];
  for (;;) {
    const last = rows.at(-1);
    const page = table.query({ where, limit: 97, ...(last === undefined ? {} : { after: last }) });
    rows.push(...page.rows);
    if (!page.more) break;
  }
  assert.deepEqual(rows, table.query({ where }).rows);
  assert.ok(rows.length > 500);
});

test('listeners and waiting callers are notified of changes, until they leave', async () => {
  const table = newTable();
  const row = (revision: number, uid = 'u1'): Item => ({
    ...{ id: 'x', uid, revision, createdAt: '2030-01-01T00:00:00.000000Z', colour: undefined, tags: [] },
  });
  const seen: string[] = [];
  table.listen(() => assert.fail('broken listener'));
  const stop = table.listen(({ type, row: { revision } }) => void seen.push(`${type} ${revision}`));
  const timeout = AbortSignal.timeout(5000);
  const third = table.until('x', found => found?.revision === 3, timeout);
  const gone = table.until('y', found => found === undefined, timeout);
  for (const change of [() => table.put(row(1)), () => table.put(row(2)), () => table.put(row(3, 'u2'))])
    table.notify(change());
  assert.equal((await third)?.uid, 'u2');
  assert.equal(await gone, undefined);
  stop();
  table.notify(table.remove('x'));
  assert.deepEqual(seen, ['added 1', 'changed 2', 'removed 2', 'added 3']);
});

test('waiting ends with the signal', async () => {
  const table = newTable();
  const stop = new AbortController();
  const waiting = table.until('x', found => found !== undefined, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  await assert.rejects(
    table.until('x', () => true, stop.signal),
    /enough/,
  );
});
