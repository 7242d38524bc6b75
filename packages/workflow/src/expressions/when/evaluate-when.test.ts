import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkflowError } from '../../errors.ts';
import { evaluateWhen } from './evaluate-when.ts';

/** What genuine govaluate, called as Argo does, gives: a bool, or the message. */
const rows: readonly (readonly [condition: string, result: boolean | string])[] = [
  ['', true],
  ['foo == foo', true],
  ['foo != bar', true],
  ['a < b', true],
  ['1/2 == 0.5', true],
  ['"10" > "9"', false],
  ['10 > 9', true],
  ['0x10 == 16', true],
  ['1 - 1 - 1 == -1', true],
  ['2 ** 3 == 8', true],
  ['3 & 1 == 1', true],
  ['"a b" == \'a b\'', true],
  ['"true" == true', false],
  ['a in (a, b)', true],
  ['c in (a, b)', false],
  ['a =~ "^a"', true],
  ['a !~ b', true],
  ['(a == b) || (b == b)', true],
  ['a == a && b == c', false],
  ['false && 1', false],
  ['!(1 == 2)', true],
  ['true ? true : false', true],
  ["[a-b] == 'a-b'", true],
  ['a + 1 == a1', true],
  ['"2020-01-01" < "2021-01-01"', true],
  ['(1 == 1) 2', true],
  ['foo', "Expected boolean evaluation for 'foo'. Got foo"],
  ['1', "Expected boolean evaluation for '1'. Got 1"],
  ['a,b', "Expected boolean evaluation for 'a,b'. Got [a b]"],
  [
    '1 < a',
    "Failed to evaluate 'when' expresion '1 < a': Value '1' cannot be used with the comparator '<', it is not a number",
  ],
  [
    'foo-bar == foo-bar',
    "Failed to evaluate 'when' expresion 'foo-bar == foo-bar': Value 'foo' cannot be used with the modifier '-', it is not a number",
  ],
  [
    'a in (a)',
    "Failed to evaluate 'when' expresion 'a in (a)': Value 'a' cannot be used with the comparator 'in', it is not a number",
  ],
  [
    'a && b',
    "Failed to evaluate 'when' expresion 'a && b': Value 'a' cannot be used with the logical operator '&&', it is not a bool",
  ],
  ['!foo', "Failed to parse 'when' expression '!foo': Cannot transition token types from PREFIX [!] to STRING [foo]"],
  ['a ==', "Invalid 'when' expression 'a ==': Unexpected end of expression"],
  ['(a == a', "Invalid 'when' expression '(a == a': Unbalanced parenthesis"],
  [
    'foo bar',
    "Invalid 'when' expression 'foo bar': Cannot transition token types from VARIABLE [foo] to VARIABLE [bar]",
  ],
  ['f(1)', "Invalid 'when' expression 'f(1)': Undefined function f"],
  ['a.b == c', "Invalid 'when' expression 'a.b == c': Unable to access unexported field 'b' in token 'a.b'"],
  [
    'a == {{item}}',
    `Invalid 'when' expression 'a == {{item}}': Invalid token: '{{' (hint: try wrapping the affected expression in quotes ("))`,
  ],
];

for (const [condition, expected] of rows) {
  test(`when '${condition}' gives ${expected}`, () => {
    if (typeof expected === 'boolean') assert.equal(evaluateWhen(condition), expected);
    else
      assert.throws(
        () => evaluateWhen(condition),
        (error: unknown) => error instanceof WorkflowError && error.message === expected,
      );
  });
}

test('a condition that is nested deeply ends with an error', () => {
  assert.throws(() => evaluateWhen(`${'('.repeat(5000)}true${')'.repeat(5000)}`), WorkflowError);
});
