import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scoreOf, searchWords } from './search-score.ts';

const fields = (name: string, description: string) => [
  { text: name, weight: 4 },
  { text: description, weight: 2 },
];
const score = (search: string, name: string, description = '') =>
  scoreOf(searchWords(search), fields(name, description));

test('a hit in the name counts more than one in the description, and a whole word more than a part', () => {
  const order = [score('map', 'Map'), score('map', 'Mapper'), score('map', '', 'a map'), score('map', '', 'mapping')];
  assert.deepEqual(
    order,
    order.toSorted((one, other) => other - one),
  );
  assert.equal(new Set(order).size >= 3, true);
  assert.ok(order.every(each => each > 0 && each <= 1));
});

test('every word must be found, in whatever case', () => {
  assert.ok(score('HELLO world', 'hello', 'World!') > 0);
  assert.equal(score('hello moon', 'hello', 'world'), 0);
  assert.equal(score('  ', 'hello'), 0);
});
