import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meshKinds } from './index.ts';

test('no category has the name of a kind, which kubectl get could not show any more', () => {
  const names = meshKinds.flatMap(({ kind, plural }) => [kind.toLowerCase(), plural]);
  const categories = meshKinds.flatMap(kind => kind.categories ?? []);
  assert.deepEqual(
    categories.filter(category => names.includes(category)),
    [],
  );
});

test('future times are printed as text: kubectl prints a date as an age', () => {
  const columns = meshKinds.flatMap(({ kind, versions }) =>
    versions.flatMap(version => (version.columns ?? []).map(column => ({ kind, ...column }))),
  );
  assert.ok(columns.length > 0);
  const dates = columns.filter(({ type }) => type === 'date').map(({ kind, name }) => `${kind} ${name}`);
  assert.deepEqual(
    dates.filter(date => !date.endsWith(' Age')),
    [],
  );
});
