import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelTerm } from './label-term.ts';

test('terms of labels cannot be mistaken for each other', () => {
  const terms = [
    labelTerm('a'),
    labelTerm('a', 'b'),
    labelTerm('a=b'),
    labelTerm('a%3Db'),
    labelTerm('a', ''),
    labelTerm('a='),
  ];
  assert.equal(new Set(terms).size, terms.length);
  assert.equal(labelTerm('a', 'b'), 'a=b');
});
