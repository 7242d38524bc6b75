import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExposition } from './parse-exposition.ts';

test("Prometheus' text format is read, without comments, nonsense and values that are not finite", () => {
  const text = [
    '# HELP a x',
    'a 1',
    'b{x="1",y="a\\"b\\\\c\\nd,{}"} 2.5e1 1700000000000',
    'c{x=1} 3',
    'd NaN',
    'e +Inf',
    '???',
    'f{} -4',
  ].join('\n');
  assert.deepEqual(parseExposition(text, 10), [
    { metric: { __name__: 'a' }, value: 1 },
    { metric: { __name__: 'b', x: '1', y: 'a"b\\c\nd,{}' }, value: 25 },
    { metric: { __name__: 'f' }, value: -4 },
  ]);
});

test('no more samples are read than asked for', () => assert.equal(parseExposition('a 1\nb 2\nc 3', 2).length, 2));
