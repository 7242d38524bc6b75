import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkflowError } from '../../errors.ts';
import { dependsTasks, evaluateDepends, parseDepends, type TaskResults, taskResultNames } from './depends.ts';

const ended = (...names: (keyof TaskResults)[]): TaskResults =>
  Object.fromEntries(taskResultNames.map(name => [name, names.includes(name)])) as unknown as TaskResults;

const rows: readonly {
  readonly depends: string;
  readonly results: Readonly<Record<string, TaskResults>>;
  readonly expected: boolean;
}[] = [
  { depends: 'A', results: { A: ended('Succeeded') }, expected: true },
  { depends: 'A', results: { A: ended('Skipped') }, expected: true },
  { depends: 'A', results: { A: ended('Daemoned') }, expected: true },
  { depends: 'A', results: { A: ended('Failed') }, expected: false },
  { depends: 'A', results: { A: ended('Omitted') }, expected: false },
  { depends: 'A && B', results: { A: ended('Succeeded'), B: ended('Failed') }, expected: false },
  { depends: 'A || B', results: { A: ended('Succeeded'), B: ended('Failed') }, expected: true },
  { depends: 'A.Failed || A.Errored', results: { A: ended('Errored') }, expected: true },
  { depends: '!A.Succeeded', results: { A: ended('Failed') }, expected: true },
  {
    depends: 'my-task.Failed && (other-1 || B.AnySucceeded)',
    results: { 'my-task': ended('Failed'), 'other-1': ended('Omitted'), B: ended('AnySucceeded') },
    expected: true,
  },
  { depends: 'A.AllFailed', results: { A: ended('Failed') }, expected: false },
];

for (const { depends, results, expected } of rows) {
  test(`depends '${depends}' is ${expected}`, () => {
    assert.equal(
      evaluateDepends(parseDepends(depends), task => results[task] ?? ended()),
      expected,
    );
  });
}

test('names of tasks are found once each, in order', () => {
  const depends = parseDepends('b-1.Failed || (A && b-1) && loop.AllFailed');
  assert.deepEqual(dependsTasks(depends), ['b-1', 'A', 'loop']);
  assert.deepEqual(depends.loops, ['loop']);
});

test('a task that may fail counts as success for those that name it bare', () => {
  const depends = parseDepends('A', { continueOn: () => ({ failed: true }) });
  assert.equal(
    evaluateDepends(depends, () => ended('Failed')),
    true,
  );
  assert.equal(
    evaluateDepends(depends, () => ended('Errored')),
    false,
  );
});

test('a malformed condition is read, and fails when it is evaluated', () => {
  const depends = parseDepends('A &&');
  assert.throws(
    () => evaluateDepends(depends, () => ended('Succeeded')),
    (error: unknown) =>
      error instanceof WorkflowError &&
      error.message.startsWith(
        "unable to evaluate expression '(A.Succeeded || A.Skipped || A.Daemoned) &&': unexpected token EOF (1:",
      ),
  );
});

test('a task called like an operator cannot be named', () => {
  assert.throws(() => evaluateDepends(parseDepends('in'), () => ended('Succeeded')), WorkflowError);
});
