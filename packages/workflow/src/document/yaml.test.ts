import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYaml } from './yaml.ts';

const rows: readonly { why: string; text: string; value: unknown }[] = [
  { why: 'words of YAML 1.1 are booleans', text: '[yes, Off, on, NO, true]', value: [true, false, true, false, true] },
  { why: 'single letters are text', text: '{x: n, y: 1}', value: { x: 'n', y: 1 } },
  { why: 'a number that begins with 0 is octal', text: 'mode: 0755', value: { mode: 493 } },
  {
    why: 'times and numbers with colons are text',
    text: '[2020-01-02, 1:30, 12:30:45]',
    value: ['2020-01-02', '1:30', '12:30:45'],
  },
  { why: 'of a field given twice the last counts', text: 'a: 1\nb: 2\na: 3', value: { a: 3, b: 2 } },
  { why: 'merge keys', text: 'a: &x {b: 1}\nc: {<<: *x, d: 2}', value: { a: { b: 1 }, c: { b: 1, d: 2 } } },
  {
    why: 'a quoted text may end at the indentation of its list',
    text: 'a:\n  args: ["\n    one;\n    two\n  "]\n  b: [\'\n    three\n  \']',
    value: { a: { args: [' one; two '], b: [' three '] } },
  },
  { why: 'lines of a quoted text need no indentation', text: 'a:\n  b: "one\ntwo"', value: { a: { b: 'one two' } } },
  {
    why: 'brackets may close at the indentation of their field',
    text: 'a:\n  b: [\n    1\n  ]',
    value: { a: { b: [1] } },
  },
];

for (const { why, text, value } of rows) test(why, () => assert.deepEqual(parseYaml(text), value));

test('what Go does not read is an error', () => {
  assert.throws(() => parseYaml('a: "open'), /Missing closing/);
  assert.throws(() => parseYaml('a: [1, 2'), /must .* end with a \]/);
  assert.throws(() => parseYaml('a: *none'), /alias/);
});
