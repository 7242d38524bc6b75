import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceOfSetName, setNameOf } from './set-names.ts';

test('no two resources have a set of the same name', () => {
  const resources = ['books', 'books-1', '1-books', '1'];
  const names = resources.flatMap(resource => [0, 1, 2, 11].map(index => setNameOf('aws', resource, index)));
  assert.equal(new Set(names).size, names.length, names.join(', '));
  const found = names.map(name => resourceOfSetName('aws', name));
  assert.deepEqual(
    found,
    resources.flatMap(resource => Array.from({ length: 4 }, () => resource)),
  );
});

test('sets of other clouds and inventories belong to no resource', () => {
  assert.deepEqual(
    ['azure-books', 'books', 'aws', 'aws-', 'awsx-books'].map(name => resourceOfSetName('aws', name)),
    [undefined, undefined, undefined, undefined, undefined],
  );
});
