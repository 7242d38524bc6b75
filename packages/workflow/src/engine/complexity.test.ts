import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWorkflow } from '../document/parse-workflow.ts';
import { createExecution } from './execution.ts';
import type { Observation } from './observations.ts';

const wide = (count: number, parallelism: number) => ({
  metadata: { name: 'wide' },
  spec: {
    entrypoint: 'main',
    parallelism,
    templates: [
      {
        name: 'main',
        dag: {
          tasks: [
            { name: 'A', template: 'one', withSequence: { count } },
            { name: 'B', depends: 'A', template: 'one' },
          ],
        },
      },
      { name: 'one', container: { image: 'x' } },
    ],
  },
});

const chain = (count: number) => ({
  metadata: { name: 'chain' },
  spec: {
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        dag: {
          tasks: Array.from({ length: count }, (_, at) => ({
            name: `t${at}`,
            template: 'one',
            ...(at > 0 && { depends: `t${at - 1}` }),
          })),
        },
      },
      { name: 'one', container: { image: 'x' } },
    ],
  },
});

/** Executes a document whose containers all succeed. Returns the work for all steps, and for the costliest of the middle ones. */
function measure(source: object): { total: number; largest: number; nodes: number } {
  const execution = createExecution({ document: parseWorkflow(source) });
  const pending: Observation[] = [];
  let largest = 0;
  let before = 0;
  const step = (observed: Observation[]): void => {
    before = execution.work;
    for (const action of execution.advance(observed, 0).actions) {
      if (action.kind !== 'start') continue;
      pending.push({ kind: 'started', node: action.node }, { kind: 'ended', node: action.node, exitCode: 0 });
    }
  };
  step([]);
  let steps = 0;
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    step([next]);
    steps++;
    const isMiddle = steps > 2 && pending.length > 4;
    if (isMiddle) largest = Math.max(largest, execution.work - before);
  }
  assert.equal(execution.status.phase, 'Succeeded');
  return { total: execution.work, largest, nodes: [...execution.nodes].length };
}

for (const parallelism of [0, 10]) {
  test(`a fan-out of 10,000 costs ten times one of 1,000, with parallelism ${parallelism}`, () => {
    const small = measure(wide(1000, parallelism));
    const large = measure(wide(10_000, parallelism));
    assert.equal(large.nodes, 10_003);
    assert.ok(large.total < small.total * 11, `${large.total} against ${small.total}`);
    assert.ok(large.largest < 60, `one observation cost ${large.largest}`);
    assert.equal(large.largest, small.largest);
  });
}

test('a chain of 2,000 tasks costs ten times one of 200', () => {
  const small = measure(chain(200));
  const large = measure(chain(2000));
  assert.ok(large.total < small.total * 11, `${large.total} against ${small.total}`);
});
