import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSort, selectionOf } from './list-query.ts';

test('an address without a query is the first page of everything', () => {
  const { search, sortBy, offset, namespace } = selectionOf(new URLSearchParams());
  assert.deepEqual({ search, sortBy, offset, namespace }, { search: '', sortBy: '', offset: 0, namespace: '' });
});

test('an address with a page that is none is the first page', () => {
  for (const page of ['0', '-1', '1.5', 'x'])
    assert.equal(selectionOf(new URLSearchParams({ page })).offset, 0, `page=${page}`);
});

test('a minus before the column sorts in descending order', () => {
  const { sortBy, isDescending } = selectionOf(new URLSearchParams({ sort: '-Age' }), 'Last Seen');
  assert.deepEqual([sortBy, isDescending], ['Age', true]);
  assert.equal(selectionOf(new URLSearchParams(), 'Last Seen').sortBy, 'Last Seen');
});

test('choosing a heading goes through ascending, descending, and the order of the server', () => {
  assert.deepEqual([nextSort('', 'Age'), nextSort('Age', 'Age'), nextSort('-Age', 'Age')], ['Age', '-Age', '']);
  assert.equal(nextSort('-Name', 'Age'), 'Age');
});
