import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isError } from '../errors.ts';
import type { LabelOperator, LabelRequirement } from './label-requirement.ts';
import { formatLabelSelector, fromLabelSelectorObject, matchesLabels, parseLabelSelector } from './label-selector.ts';

const requirement = (key: string, operator: LabelOperator, ...values: string[]): LabelRequirement => ({
  key,
  operator,
  values,
});

const understood: readonly (readonly [string, readonly LabelRequirement[]])[] = [
  ['', []],
  ['  ', []],
  ['a=b', [requirement('a', 'In', 'b')]],
  ['a == b', [requirement('a', 'In', 'b')]],
  ['a!=b', [requirement('a', 'NotIn', 'b')]],
  ['a', [requirement('a', 'Exists')]],
  ['!a', [requirement('a', 'DoesNotExist')]],
  [' ! a ', [requirement('a', 'DoesNotExist')]],
  ['a in (x, y,x)', [requirement('a', 'In', 'x', 'y')]],
  ['a notin (x)', [requirement('a', 'NotIn', 'x')]],
  ['a in (,x)', [requirement('a', 'In', '', 'x')]],
  ['a in ()', [requirement('a', 'In', '')]],
  ['a=', [requirement('a', 'In', '')]],
  ['a=,b', [requirement('a', 'In', ''), requirement('b', 'Exists')]],
  ['size>3', [requirement('size', 'GreaterThan', '3')]],
  ['size<3', [requirement('size', 'LessThan', '3')]],
  ['in in (in,notin)', [requirement('in', 'In', 'in', 'notin')]],
  ['b,a', [requirement('a', 'Exists'), requirement('b', 'Exists')]],
  ['example.com/app\t=\nweb', [requirement('example.com/app', 'In', 'web')]],
];

const refused: readonly (readonly [string, RegExp])[] = [
  ['a,', /found '', expected: identifier after ','/],
  [',a', /found ',', expected: !, identifier, or 'end of string'/],
  ['a b', /found 'b', expected: in, notin, =, ==, !=, gt, lt/],
  ['a===b', /found '=', expected: identifier/],
  ['a in x', /found 'x', expected: '\('/],
  ['a in (x', /found '', expected: ',' or '\)'/],
  ['a in (x y)', /found 'y', expected: ',' or '\)'/],
  ['!a=b', /found '=', expected: ',' or 'end of string'/],
  ['a/b/c', /a qualified name must consist of/],
  ['a=-b', /values\[0\]\[a\]: Invalid value: "-b": a valid label must be/],
  ['a>b', /the value must be an integer/],
  ['a<-1', /a valid label must be/],
  [`a=${'x'.repeat(64)}`, /must be no more than 63 bytes/],
];

describe('A label selector', () => {
  for (const [text, requirements] of understood) {
    it(`understands ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseLabelSelector(text).requirements, requirements);
    });
  }

  for (const [text, message] of refused) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseLabelSelector(text),
        thrown =>
          isError(thrown, 'BadRequest') &&
          thrown.message.startsWith('unable to parse requirement: ') &&
          message.test(thrown.message),
      );
    });
  }

  it('is the same after formatting and parsing', () => {
    fc.assert(
      fc.property(selectors, selector => {
        assert.deepEqual(parseLabelSelector(formatLabelSelector(selector)), selector);
      }),
    );
  });

  it('selects what a naive reading of its text selects', () => {
    fc.assert(
      fc.property(fc.array(requirements, { maxLength: 4 }), labelSets, (list, labels) => {
        assert.equal(
          matchesLabels({ requirements: list }, labels),
          list.every(one => naive(one, labels)),
        );
      }),
    );
  });

  it('never takes inherited properties for labels', () => {
    assert.equal(matchesLabels(parseLabelSelector('constructor'), {}), false);
    assert.equal(matchesLabels(parseLabelSelector('!toString'), {}), true);
    assert.equal(matchesLabels(parseLabelSelector('a'), undefined), false);
  });

  it('compares integers of any size that fits 64 bits', () => {
    const selector = parseLabelSelector('n>9007199254740992');
    assert.equal(matchesLabels(selector, { n: '9007199254740993' }), true);
    assert.equal(matchesLabels(selector, { n: '9007199254740992' }), false);
    assert.equal(matchesLabels(selector, { n: 'many' }), false);
    assert.equal(matchesLabels(selector, {}), false);
  });
});

describe('A label selector in an object', () => {
  it('joins labels and expressions', () => {
    const selector = fromLabelSelectorObject({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['b', 'a'] },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    });
    assert.equal(formatLabelSelector(selector), 'app=web,!old,tier in (a,b)');
  });

  it('selects everything when empty', () => {
    assert.equal(matchesLabels(fromLabelSelectorObject({}), {}), true);
  });

  it('rejects operators and value counts that make no sense', () => {
    const make = (operator: string, values?: string[]) => () =>
      fromLabelSelectorObject({ matchExpressions: [{ key: 'a', operator, ...(values ? { values } : {}) }] });
    assert.throws(make('Gt', ['1']), /"Gt" is not a valid label selector operator/);
    assert.throws(make('In'), /values set can't be empty/);
    assert.throws(make('Exists', ['x']), /values set must be empty/);
  });
});

const values = fc.constantFrom('', '1', '2', '10', 'x', 'y');
const keys = fc.constantFrom('a', 'b', 'example.com/c', 'in');
const labelSets = fc.dictionary(keys, values);
const requirements: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record(
    {
      key: keys,
      operator: fc.constantFrom('In' as const, 'NotIn' as const),
      values: fc.uniqueArray(values, { minLength: 1 }).map(list => list.sort()),
    },
    { noNullPrototype: true },
  ),
  fc.record(
    { key: keys, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const), values: fc.constant([]) },
    { noNullPrototype: true },
  ),
  fc.record(
    {
      key: keys,
      operator: fc.constantFrom('GreaterThan' as const, 'LessThan' as const),
      values: fc.nat().map(n => [String(n)]),
    },
    { noNullPrototype: true },
  ),
);
const selectors = fc
  .uniqueArray(requirements, { selector: one => one.key })
  .map(list => ({ requirements: list.sort((left, right) => (left.key < right.key ? -1 : 1)) }));

function naive({ key, operator, values: wanted }: LabelRequirement, labels: Record<string, string>): boolean {
  const value = labels[key];
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return !wanted.some(one => one === value);
  if (operator === 'In') return wanted.some(one => one === value);
  if (value === undefined || !/^\d+$/.test(value)) return false;
  return operator === 'GreaterThan' ? Number(value) > Number(wanted[0]) : Number(value) < Number(wanted[0]);
}
