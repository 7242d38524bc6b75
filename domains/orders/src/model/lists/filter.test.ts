import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import fc from 'fast-check';
import { type FilterExpression, filterOperators, printFilter } from './filter-expression.ts';
import { columnsOf } from './list-column.ts';
import { compileFilter } from './match-filter.ts';
import { parseFilter } from './parse-filter.ts';

interface Person {
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly born?: string;
  readonly size?: number;
}

const columns = columnsOf<Person>({
  text: { name: ({ name }) => name, tags: ({ tags }) => tags },
  time: { 'born-at': ({ born }) => born },
  number: { size: ({ size }) => size },
});

const people: readonly Person[] = [
  { name: 'Scott', tags: ['red', 'blue'], born: '2020-01-01T00:00:00.000100Z', size: 9 },
  { name: "O'Neil", tags: [], born: '2021-01-01T00:00:00.000000Z', size: 10 },
  { name: 'scotty' },
];

const select = (filter: string): readonly (string | undefined)[] => {
  const expression = parseFilter(filter, columns);
  const matches = expression === undefined ? () => true : compileFilter(expression, columns);
  return people.filter(matches).map(({ name }) => name);
};

const cases: readonly { readonly filter: string; readonly found: readonly string[]; readonly why: string }[] = [
  { filter: '', found: ['Scott', "O'Neil", 'scotty'], why: 'no filter' },
  { filter: "name ~= 'Scott%'", found: ['Scott'], why: 'like is by case' },
  { filter: "name == 'Scott'", found: ['Scott'], why: 'equality' },
  { filter: 'name = Scott', found: ['Scott'], why: 'a word, and one sign' },
  { filter: "name eq 'Scott' or name eq 'scotty'", found: ['Scott', 'scotty'], why: 'words of OData' },
  { filter: String.raw`name == 'O\'Neil'`, found: ["O'Neil"], why: 'an escaped quote' },
  { filter: `name == "O'Neil"`, found: ["O'Neil"], why: 'double quotes' },
  { filter: "name != 'Scott'", found: ["O'Neil", 'scotty'], why: 'inequality' },
  { filter: "name !~= 'Sc%'", found: ["O'Neil", 'scotty'], why: 'not like' },
  { filter: 'size > 9', found: ["O'Neil"], why: 'numbers compare as numbers, and 10 > 9' },
  { filter: 'size >= 9 && size < 10', found: ['Scott'], why: 'a range' },
  { filter: 'size == many', found: [], why: 'what is no number equals nothing' },
  { filter: "tags == 'blue'", found: ['Scott'], why: 'one of several values' },
  { filter: "born_at < '2020-06-01T00:00:00+02:00'", found: ['Scott'], why: 'times of other zones, and underscores' },
  { filter: "born-at > '2020-01-01T00:00:00Z'", found: ['Scott', "O'Neil"], why: 'microseconds count' },
  { filter: "name ~= '%cott%' && !(name == 'Scott') || size == 10", found: ["O'Neil", 'scotty'], why: 'precedence' },
  { filter: "(name == 'Scott' || size == 10) && size == 9", found: ['Scott'], why: 'parentheses' },
];

describe('a filter', () => {
  for (const { filter, found, why } of cases)
    test(`${filter || 'that is empty'}: ${why}`, () => assert.deepEqual(select(filter), found));

  for (const bad of [
    'name',
    'name ==',
    "name == 'x",
    "colour == 'red'",
    '(name == x',
    'name == x)',
    'name == x y',
    '== x',
    'name === x',
    `${'('.repeat(60)}name == x${')'.repeat(60)}`,
    Array.from({ length: 101 }, () => 'name == x').join(' && '),
    `${'!'.repeat(20_000)}name == x`,
  ])
    test(`is rejected: ${bad.slice(0, 40)}`, () =>
      assert.throws(
        () => parseFilter(bad, columns),
        error => isError(error, 'Orders:invalid-filter'),
      ));
});

const comparison = fc.record({
  type: fc.constant('compare' as const),
  column: fc.constantFrom('name', 'size'),
  operator: fc.constantFrom(...filterOperators),
  value: fc.string(),
});

const { expression } = fc.letrec<{ expression: FilterExpression }>(tie => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    comparison,
    fc.record({ type: fc.constant('not' as const), term: tie('expression') }),
    fc.record({
      type: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('expression'), { minLength: 2, maxLength: 3 }),
    }),
  ),
}));

test('a printed filter is parsed as what was printed', () => {
  fc.assert(
    fc.property(expression, each => assert.deepEqual(parseFilter(printFilter(each), columns), structuredClone(each))),
    { numRuns: 200 },
  );
});

test('any text is parsed or rejected as a filter', () => {
  const pieces = fc.array(
    fc.oneof(fc.constantFrom('name', '(', ')', '!', '&&', '||', "'", '==', '~=', ' '), fc.string()),
  );
  fc.assert(
    fc.property(pieces, parts => {
      try {
        parseFilter(parts.join(''), columns);
      } catch (error) {
        assert.ok(isError(error, 'Orders:invalid-filter'), String(error));
      }
    }),
    { numRuns: 500 },
  );
});
