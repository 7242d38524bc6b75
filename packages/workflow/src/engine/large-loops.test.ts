import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseWorkflow } from '../document/parse-workflow.ts';
import { createExecution, type Execution, restoreExecution } from './execution.ts';
import type { NodeStatus } from './node-status.ts';
import { simulate, treeOf } from './test-simulate.ts';

const itemCount = 50;
const maxWork = 10;
const leaf = '{name: t, container: {image: x, args: ["echo {{workflow.name}}"]}}';
const sequence = `withSequence: {count: '${itemCount}'}`;
const documents = {
  steps: `{name: main, steps: [[{name: a, template: t, ${sequence}}], [{name: b, template: t}]]}`,
  dag: `{name: main, dag: {tasks: [{name: a, template: t, ${sequence}}, {name: b, template: t, depends: a}]}}`,
};
const documentOf = (main: string): string => `
metadata: {name: wf}
spec: {entrypoint: main, templates: [${main}, ${leaf}]}`;

/** Takes steps until nothing is left to do at once. Returns what each of them started. */
function settle(execution: Execution, stored: Map<string, NodeStatus>): readonly (readonly string[])[] {
  const starts: string[][] = [];
  for (let isUnfinished = true; isUnfinished; ) {
    const step = execution.advance([], 1000);
    for (const { node } of step.changed) stored.set(node.name, structuredClone(node));
    starts.push(step.actions.flatMap(action => (action.kind === 'start' ? [action.node] : [])));
    isUnfinished = step.isUnfinished;
  }
  return starts;
}

describe('A loop of more items than one step may start', () => {
  for (const [name, main] of Object.entries(documents)) {
    it(`is started in parts, and ends as one that is started at once: ${name}`, () => {
      const inParts = simulate(documentOf(main), { maxWork });
      assert.equal(inParts.status.phase, 'Succeeded');
      assert.deepEqual(treeOf(inParts).sort(), treeOf(simulate(documentOf(main))).sort());
      const starts = settle(createExecution({ document: parseWorkflow(documentOf(main)), maxWork }), new Map());
      assert.equal(starts.flat().length, itemCount);
      assert.ok(starts.every(({ length }) => length <= maxWork));
    });

    it(`is continued by an execution that is restored in between: ${name}`, () => {
      const options = { document: parseWorkflow(documentOf(main)), maxWork };
      const stored = new Map<string, NodeStatus>();
      const execution = createExecution(options);
      const { changed, status, isUnfinished } = execution.advance([], 1000);
      for (const { node } of changed) stored.set(node.name, structuredClone(node));
      assert.ok(isUnfinished && status !== undefined);
      const before = [...stored.values()].filter(({ type }) => type === 'Pod').length;
      assert.ok(before < itemCount);
      const restored = restoreExecution({ ...options, status, nodes: [...stored.values()] });
      const starts = settle(restored, stored).flat();
      assert.equal(starts.length, itemCount - before);
      assert.equal([...stored.values()].filter(({ type }) => type === 'Pod').length, itemCount);
    });
  }

  it('leaves observations for the next step that are more than one may consider', () => {
    const execution = createExecution({ document: parseWorkflow(documentOf(documents.dag)), maxWork });
    const nodes = settle(execution, new Map()).flat();
    const observed = nodes.map(node => ({ kind: 'ended' as const, node, exitCode: 0 }));
    const { rest, changed, isUnfinished } = execution.advance(observed, 2000);
    assert.ok(isUnfinished && changed.length <= maxWork);
    assert.deepEqual(rest, observed.slice(observed.length - rest.length));
    assert.ok(rest.length > 0 && rest.length < observed.length);
  });
});
