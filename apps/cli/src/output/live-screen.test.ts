import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fit, LiveScreen } from './live-screen.ts';

function terminal(rows: number, columns: number) {
  const written: string[] = [];
  return {
    written,
    output: { isTTY: true, rows, columns, write: (text: string | Uint8Array) => written.push(String(text)) },
  };
}

test('texts are cut to the size of a terminal', () => {
  const cases = [
    { why: 'fits', text: 'a\nb\n', rows: 3, columns: 5, cut: 'a\nb\n' },
    { why: 'too high', text: 'a\nb\nc\nd\n', rows: 4, columns: 20, cut: '… 2 lines above\nc\nd\n' },
    { why: 'too wide', text: 'abcdef\nabcde\n', rows: 9, columns: 5, cut: 'abcd…\nabcde\n' },
    { why: 'coloured', text: '\u001b[32mabc\u001b[39m\n', rows: 9, columns: 3, cut: '\u001b[32mabc\u001b[39m\n' },
  ];
  for (const { why, text, cut, ...size } of cases) assert.equal(fit(text, size), cut, why);
});

test('a screen erases as many lines as it has drawn, and none twice', () => {
  const { written, output } = terminal(4, 20);
  const screen = new LiveScreen(output);
  screen.draw('a\nb\n');
  screen.draw('a\nb\n');
  screen.draw('a\nb\nc\nd\n');
  screen.finish('a\nb\nc\nd\n');
  assert.deepEqual(written, ['a\nb\n', '\u001b[2A\u001b[0J… 2 lines above\nc\nd\n', '\u001b[3A\u001b[0Ja\nb\nc\nd\n']);
});

test('colours take no room', () => {
  const { written, output } = terminal(10, 3);
  new LiveScreen(output, text => text.replace('a', '\u001b[32ma\u001b[39m')).draw('abc\n');
  assert.deepEqual(written, ['\u001b[32ma\u001b[39mbc\n']);
});
