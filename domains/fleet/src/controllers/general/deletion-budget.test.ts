import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeletionBudget } from './deletion-budget.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);

test('so many deletions at once as a minute has, then one by one', () => {
  const budget = new DeletionBudget();
  for (let i = 0; i < 60; i++) assert.equal(budget.take('a', 60, at(0)), 0);
  assert.equal(budget.take('a', 60, at(0)), 1000);
  assert.equal(budget.take('a', 60, at(1)), 0);
  assert.equal(budget.take('a', 60, at(1.5)), 500);
});

test('products have budgets of their own', () => {
  const budget = new DeletionBudget();
  assert.equal(budget.take('a', 1, at(0)), 0);
  assert.ok(budget.take('a', 1, at(0)) > 0);
  assert.equal(budget.take('b', 1, at(0)), 0);
});

test('no more is saved up than a minute has', () => {
  const budget = new DeletionBudget();
  budget.take('a', 2, at(0));
  assert.deepEqual(
    [1, 2, 3].map(() => budget.take('a', 2, at(3600)) === 0),
    [true, true, false],
  );
});
