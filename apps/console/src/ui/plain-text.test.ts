import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText, terminalLine } from './plain-text.ts';

const cases: readonly (readonly [why: string, text: string, shown: string])[] = [
  ['markup is text', '<b>bold</b>', '<b>bold</b>'],
  ['a tab and a new line stay', 'a\tb\nc', 'a\tb\nc'],
  ['colours of a terminal', '\u001b[1;31mred\u001b[0m', 'red'],
  ['the title of a terminal', '\u001b]0;title\u0007text', 'text'],
  ['an escape sequence that never ends', '\u001b]0;text', '0;text'],
  ['a mark that changes the direction', 'a\u202eb', 'a\ufffdb'],
  ['control characters', 'a\u0000\u0008b', 'a\ufffd\ufffdb'],
];

for (const [why, text, shown] of cases) test(why, () => assert.equal(plainText(text), shown));

test('a line of a log is what a terminal shows of it in the end', () => {
  assert.equal(terminalLine('done\r'), 'done');
  assert.equal(terminalLine('10 %\r50 %\r100 %\r'), '100 %');
  assert.equal(terminalLine('\u001b[32mok\u001b[0m'), 'ok');
});
