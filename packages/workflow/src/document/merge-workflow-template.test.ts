import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeFields, mergeWorkflowTemplate } from './merge-workflow-template.ts';
import { parseWorkflow } from './parse-workflow.ts';

const stored = parseWorkflow(`
kind: WorkflowTemplate
metadata: {name: base}
spec:
  entrypoint: main
  arguments: {parameters: [{name: a, value: one}, {name: b, value: two}]}
  templates: [{name: main, suspend: {}}]
`);

test('a workflow takes the spec of its template, with its own arguments above', () => {
  const document = parseWorkflow(`
metadata: {name: x}
spec: {workflowTemplateRef: {name: base}, arguments: {parameters: [{name: b, value: other}]}}
`);
  const { spec } = mergeWorkflowTemplate(document, { find: name => (name === 'base' ? stored : undefined) });
  assert.equal(spec.entrypoint, 'main');
  const values = new Map(spec.arguments?.parameters?.map(({ name, value }) => [name, value]));
  assert.deepEqual([values.get('a'), values.get('b')], ['one', 'other']);
});

test('a template that does not exist is named', () => {
  const document = parseWorkflow({ metadata: { name: 'x' }, spec: { workflowTemplateRef: { name: 'none' } } });
  assert.throws(
    () => mergeWorkflowTemplate(document, { find: () => undefined }),
    /workflowtemplates.argoproj.io "none" not found/,
  );
});

test('lists without a key are replaced whole', () => {
  assert.deepEqual(mergeFields({ args: ['a', 'b'], x: { y: 1 } }, { args: ['c'], x: { z: 2 } }), {
    args: ['c'],
    x: { y: 1, z: 2 },
  });
});
