import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileLike } from '@chandlery/api';
import { finishSteps } from '@chandlery/platform';
import fc from 'fast-check';
import { FleetError } from '../../errors.ts';
import { type InstanceFields, instanceColumns, searchColumns } from './instance-columns.ts';
import { compileSearch } from './match-search.ts';
import { compareBy, parseOrder } from './parse-order.ts';
import { maxJoins, parseSearch } from './parse-search.ts';
import { printSearch, type SearchExpression, valueOperators } from './search-expression.ts';
import { sortInSteps } from './sort-in-steps.ts';

/** Few characters, so that values meet; among them those with a meaning. */
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'B', '%', '_', '\\', "'", '(', ')', '=', ',', ' ', 'ü', '🦕', 'and'),
  maxLength: 6,
});
const column = fc.constantFrom(...searchColumns);
const plain = { noNullPrototype: true } as const;
const compare: fc.Arbitrary<SearchExpression> = fc.record(
  {
    type: fc.constant('compare' as const),
    column,
    operator: fc.constantFrom(...valueOperators),
    value: text,
  },
  plain,
);
const inList: fc.Arbitrary<SearchExpression> = fc.record(
  {
    type: fc.constant('in' as const),
    column,
    isNegated: fc.boolean(),
    values: fc.array(text, { minLength: 1, maxLength: 3 }),
  },
  plain,
);
const { expression } = fc.letrec<{ expression: SearchExpression }>(tie => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    compare,
    inList,
    fc.record(
      {
        type: fc.constantFrom('and' as const, 'or' as const),
        terms: fc.array(tie('expression'), { minLength: 2, maxLength: 3 }),
      },
      plain,
    ),
  ),
}));

const joinsOf = (node: SearchExpression): number => {
  if (node.type === 'compare') return 0;
  if (node.type === 'in') return node.isNegated ? 1 : 0;
  return node.terms.length - 1 + node.terms.reduce((sum, term) => sum + joinsOf(term), 0);
};
const permitted = expression.filter(node => joinsOf(node) <= maxJoins);

const row: fc.Arbitrary<InstanceFields> = fc
  .record({
    id: fc.string(),
    name: text,
    owner: text,
    region: text,
    cloudProvider: text,
    clusterId: text,
    instanceType: text,
  })
  .map(({ id, clusterId, instanceType, ...spec }) => ({
    id,
    createdAt: '',
    updatedAt: '',
    spec: { product: 'p', organisation: 'o', ...spec },
    status: { state: 'ready', clusterId, instanceType },
  }));

const numberedRow = (number: number, at: number): InstanceFields => ({
  id: String(at),
  createdAt: String(number % 7),
  updatedAt: String(number % 3),
  spec: { product: 'p', organisation: 'o', name: String(number), owner: String(number % 5), multiAz: number % 2 === 0 },
  status: { host: String(number % 4) },
});

/** LIKE by its definition: every way to divide the text is tried. */
function naiveLike(pattern: readonly string[], value: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return value.length === 0;
  if (head === '%') return naiveLike(rest, value) || (value.length > 0 && naiveLike(pattern, value.slice(1)));
  if (value.length === 0) return false;
  if (head === '_') return naiveLike(rest, value.slice(1));
  if (head === '\\' && rest.length > 0) return value[0] === rest[0] && naiveLike(rest.slice(1), value.slice(1));
  return value[0] === head && naiveLike(rest, value.slice(1));
}

function naiveMatch(node: SearchExpression, fields: InstanceFields): boolean {
  if (node.type === 'and') return node.terms.filter(term => !naiveMatch(term, fields)).length === 0;
  if (node.type === 'or') return node.terms.filter(term => naiveMatch(term, fields)).length > 0;
  const value = instanceColumns.get(node.column)?.value(fields) ?? '';
  if (node.type === 'in') return node.values.filter(other => other === value).length > 0 !== node.isNegated;
  if (node.operator === '=') return value === node.value;
  if (node.operator === '<>') return value !== node.value;
  if (node.operator === 'like') return naiveLike(Array.from(node.value), Array.from(value));
  return naiveLike(Array.from(node.value.toLowerCase()), Array.from(value.toLowerCase()));
}

test('a printed expression is parsed as the same expression', () => {
  fc.assert(
    fc.property(permitted, node => {
      assert.deepEqual(parseSearch(printSearch(node), searchColumns), node);
    }),
  );
});

test('an expression matches what a naive evaluation matches', () => {
  fc.assert(
    fc.property(permitted, row, (node, fields) => {
      assert.equal(compileSearch(node)(fields), naiveMatch(node, fields));
    }),
    { numRuns: 1000 },
  );
});

test('LIKE matches what its definition matches', () => {
  fc.assert(
    fc.property(text, text, (pattern, value) => {
      assert.equal(compileLike(pattern)(value), naiveLike(Array.from(pattern), Array.from(value)));
    }),
    { numRuns: 2000 },
  );
});

test('any text is parsed or rejected with error 23', () => {
  const word = fc.constantFrom(
    'name',
    'and',
    'or',
    'not',
    'in',
    '(',
    ')',
    '=',
    '<>',
    "'",
    '\\',
    ',',
    ' ',
    'like',
    '\0',
    'ü',
  );
  const any = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word, { maxLength: 30 }).map(words => words.join(' ')),
  );
  fc.assert(
    fc.property(any, search => {
      try {
        parseSearch(search, searchColumns);
      } catch (error) {
        assert.ok(error instanceof FleetError && error.number === 23, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

/** Milliseconds of processor time, which other processes do not change. */
function cpuMs(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

test('long hostile patterns and searches take little time', () => {
  const length = 100_000;
  const text = `${'a'.repeat(5000)}b`;
  const hostile: Readonly<Record<string, () => unknown>> = {
    'LIKE with many parts': () => compileLike('%a'.repeat(4000))(text),
    'LIKE with many percent signs': () => compileLike(`${'%'.repeat(length)}c`)(text),
    'LIKE with any characters': () => compileLike(`${'%_a'.repeat(1000)}%c`)(text),
    'escaped quotes': () => parseSearch(`name = '${String.raw`\'`.repeat(length)}'`, searchColumns),
    'a list of values': () => parseSearch(`name in (${'a,'.repeat(length)}a)`, searchColumns),
    spaces: () => parseSearch(`name${' '.repeat(length)}= a`, searchColumns),
  };
  for (const [what, work] of Object.entries(hostile)) {
    const spent = cpuMs(work);
    assert.ok(spent < 1000, `${what} took ${spent} ms`);
  }
});

test('rows sorted in steps are in the order of the built-in sort, whatever the order asks for', () => {
  const order = fc
    .array(fc.tuple(fc.constantFrom(...instanceColumns.keys()), fc.constantFrom('', ' asc', ' DESC')), {
      minLength: 1,
      maxLength: 3,
    })
    .map(terms => terms.map(([name, direction]) => name + direction).join(', '));
  fc.assert(
    fc.property(fc.array(fc.nat(60), { minLength: 200, maxLength: 600 }), order, (numbers, orderBy) => {
      const rows = numbers.map(numberedRow);
      const compareRows = compareBy(parseOrder(orderBy));
      assert.deepEqual(finishSteps(sortInSteps(rows, compareRows)), rows.toSorted(compareRows));
    }),
    { numRuns: 10 },
  );
});

test('orderBy rejects unknown fields, unknown directions and more than two words with error 17', () => {
  for (const orderBy of ['garden', 'name up', 'name asc asc', 'name,,owner', 'name,']) {
    assert.throws(
      () => parseOrder(orderBy),
      (error: unknown) => error instanceof FleetError && error.number === 17,
    );
  }
  assert.deepEqual(parseOrder('  NAME   desc,  owner'), [
    { column: 'name', isDescending: true },
    { column: 'owner', isDescending: false },
  ]);
});
