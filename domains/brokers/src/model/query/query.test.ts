import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SmError } from '../../errors.ts';
import { compileFieldQuery, compileLabelQuery } from './compile-query.ts';
import type { Labels } from './labels.ts';
import { parseQuery } from './parse-query.ts';
import { type Criterion, listOperators, printQuery, type QueryValue, singleOperators } from './query.ts';

const fields = {
  id: { type: 'string', read: (row: Row) => row.id },
  name: { type: 'string', read: (row: Row) => row.name, index: 'name' },
  size: { type: 'number', read: (row: Row) => row.size },
  ready: { type: 'boolean', read: (row: Row) => row.ready },
  created_at: { type: 'date', read: (row: Row) => row.createdAt },
  context: { type: 'json', read: (row: Row) => row.context },
  owner: { type: 'string', read: (row: Row) => row.owner ?? '', nullAs: '' },
} as const;

interface Row {
  readonly id: string;
  readonly name?: string;
  readonly size?: number;
  readonly ready?: boolean;
  readonly createdAt?: string;
  readonly context?: object;
  readonly owner?: string;
}

const row: Row = {
  id: '1',
  name: "it's 50%",
  size: 10,
  ready: true,
  createdAt: '2024-03-01T10:00:00.000002Z',
  context: { instance_name: 'db', deep: { n: 3 } },
};

const fieldCases: readonly [query: string, matches: boolean][] = [
  ["name eq 'it''s 50%'", true],
  ["name eq 'it\\'s 50%'", true],
  ["name ne 'it''s 50%'", false],
  ["name contains '50%'", true],
  ["name contains '5%'", false],
  ["name in ('a','it''s 50%')", true],
  ["name in ('a', 'b')", false],
  ["name notin ('a', 'b')", true],
  ['name in ()', false],
  ['size gt 9', true],
  ['size ge 10', true],
  ['size lt 10', false],
  ['size le 10.0', true],
  ['size eq 10.0', true],
  ['ready eq true', true],
  ["ready eq 'true'", true],
  ['ready ne true', false],
  ['created_at gt 2024-03-01T10:00:00.000001Z', true],
  ['created_at gt 2024-03-01T10:00:00.000002Z', false],
  ['created_at ge 2024-03-01T11:00:00.000002+01:00', true],
  ["created_at eq '2024-03-01T10:00:00.000002Z'", true],
  ["context/instance_name eq 'db'", true],
  ["context/instance_name en 'other'", false],
  ["context/missing en 'x'", true],
  ["context/missing ne 'x'", true],
  ["context/missing eq 'x'", false],
  ['context/deep/n eq 3', true],
  ["context contains 'instance_name'", true],
  ["name eq 'it''s 50%' and size eq 10 and size gt 5", true],
  ["'name' eq 'x'", false],
  ["owner en 'x'", true],
  ["owner eq ''", true],
  ["owner eq 'x'", false],
];

for (const [query, matches] of fieldCases) {
  test(`${query} ${matches ? 'matches' : 'does not match'}`, () => {
    assert.equal(compileFieldQuery(parseQuery(query), fields).test(row), matches);
  });
}

const labels = { env: ['dev', 'prod'], empty: [''], 'my key.with:chars': ['x'], and: ['y'], level: ['5'] };
const labelCases: readonly [query: string, matches: boolean][] = [
  ["env eq 'prod'", true],
  ["env ne 'prod'", false],
  ["env ne 'stage'", true],
  ["other ne 'prod'", true],
  ["other notin ('a','b')", true],
  ["other eq 'prod'", false],
  ["env in ('prod','stage')", true],
  ["env notin ('prod','stage')", false],
  ["env en 'stage'", false],
  ["other en 'stage'", true],
  ["env contains 'ro'", true],
  ['empty in ()', true],
  ["'my key.with:chars' eq 'x'", true],
  ["'and' eq 'y'", true],
  ['level gt 4', true],
  ['level gt 10', true],
  ["env eq 'dev' and level eq '6'", false],
];

const term = (key: string, value: string) => `${key}=${value}`;

for (const [query, matches] of labelCases) {
  test(`the label query ${query} ${matches ? 'matches' : 'does not match'}`, () => {
    assert.equal(compileLabelQuery(parseQuery(query), { labelsOf: () => labels, term }).test({}), matches);
  });
}

const rejected: readonly [query: string, why: RegExp][] = [
  ["name  eq 'x'", /at position 5/],
  ["name\teq 'x'", /at position 4/],
  ["name eq  'x'", /at position 8/],
  ["name eq 'x", /at the end: a closing quote/],
  ["name eq 'a\nb'", /a closing quote/],
  ['name eq x', /a value is expected/],
  ["name like 'x'", /an operator is expected/],
  ["and eq 'x'", /meaning of its own/],
  ["my.key eq 'x'", /at position 2/],
  ["name in 'x'", /"\(" is expected/],
  ["name in ('x'", /"," is expected/],
  ["name eq 'x' or name eq 'y'", /" and " is expected/],
  ["nothing eq 'x'", /unsupported field query key: nothing/],
  ["name/deep eq 'x'", /unsupported field query key: name\/deep/],
  ["__proto__ eq 'x'", /unsupported field query key/],
  ["name gt 'x'", /a number or a time/],
  ["created_at lt '2024-03-01T10:00:00Z'", /a number or a time/],
  ["size eq 'x'", /size is compared with a number/],
  ['created_at gt 5', /created_at is compared with a time/],
  ['size contains 1', /contains is for texts/],
  ['created_at ge 2024-02-30T00:00:00Z', /a value is expected/],
  ['', /a key is expected/],
];

for (const [query, why] of rejected) {
  test(`${JSON.stringify(query)} is rejected`, () => {
    assert.throws(
      () => compileFieldQuery(parseQuery(query), fields),
      (error: unknown) => error instanceof SmError && error.status === 400 && why.test(error.message),
    );
  });
}

test('a label key may be asked for once only', () => {
  const query = parseQuery("a eq 'x' and a eq 'y'");
  assert.throws(() => compileLabelQuery(query, { labelsOf: () => labels, term }), /asked for twice/);
});

test('equality narrows to indexes, negation does not', () => {
  const compiled = compileFieldQuery(parseQuery("name in ('a','b') and name ne 'c' and id eq '7'"), fields);
  assert.deepEqual(compiled.narrowings, [{ index: 'name', values: ['a', 'b'] }]);
  assert.deepEqual(compiled.ids, ['7']);
  const byLabel = compileLabelQuery(parseQuery("a eq 'x' and b ne 'y'"), { labelsOf: () => labels, term });
  assert.deepEqual(byLabel.narrowings, [{ index: 'label', values: ['a=x'] }]);
});

const plainText = fc.string().map(text => text.replaceAll('\n', ''));
const value: fc.Arbitrary<QueryValue> = fc.oneof(
  plainText.map(text => ({ type: 'string', text }) as const),
  fc.integer().map(number => ({ type: 'number', text: String(number) }) as const),
  fc.boolean().map(truth => ({ type: 'boolean', text: String(truth) }) as const),
  fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map(date => ({ type: 'date', text: date.toISOString() }) as const),
);
const criterion: fc.Arbitrary<Criterion> = fc.oneof(
  fc.record(
    { key: plainText, operator: fc.constantFrom(...singleOperators), values: fc.tuple(value) },
    { noNullPrototype: true },
  ),
  fc.record(
    {
      key: plainText,
      operator: fc.constantFrom(...listOperators),
      values: fc.array(value, { minLength: 1, maxLength: 4 }),
    },
    { noNullPrototype: true },
  ),
);

test('what is printed is parsed to the same query', () => {
  fc.assert(
    fc.property(fc.array(criterion, { minLength: 1, maxLength: 4 }), query => {
      assert.deepEqual(parseQuery(printQuery(query)), query);
    }),
  );
});

test('label queries mean what a naive reading says', () => {
  const letter = fc.constantFrom('a', 'b', 'ab', '');
  const some = fc.record({
    operator: fc.constantFrom('eq', 'ne', 'in', 'notin', 'en', 'contains'),
    right: fc.array(letter, { minLength: 1, maxLength: 1 }),
  });
  fc.assert(
    fc.property(some, fc.option(fc.uniqueArray(letter, { minLength: 1 })), ({ operator, right }, values) => {
      const query = [
        { key: 'k', operator, values: right.map(text => ({ type: 'string', text }) as const) },
      ] as Criterion[];
      const has = (values ?? []).some(one => right.includes(one));
      const naive = {
        eq: has,
        in: has,
        ne: !has,
        notin: !has,
        en: values === null || has,
        contains: (values ?? []).some(one => one.includes(right[0] ?? '')),
      }[operator];
      const compiled = compileLabelQuery(query, {
        labelsOf: (): Labels => (values === null ? {} : { k: values }),
        term,
      });
      assert.equal(compiled.test({}), naive);
    }),
  );
});
