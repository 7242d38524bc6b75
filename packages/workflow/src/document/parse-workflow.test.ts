import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { parseWorkflow } from './parse-workflow.ts';

test('values of parameters become text wherever they stand', () => {
  const { spec } = parseWorkflow(`
metadata: {generateName: x-}
spec:
  arguments: {parameters: [{name: a, value: 1}, {name: b, value: true}, {name: c, value: {z: 1, a: [x]}}]}
  templates:
  - name: main
    inputs: {parameters: [{name: p, default: 1.5, enum: [1, two]}]}
    outputs: {parameters: [{name: o, valueFrom: {path: /o, default: 0}}]}
`);
  assert.deepEqual(
    spec.arguments?.parameters?.map(({ value }) => value),
    ['1', 'true', '{"a":["x"],"z":1}'],
  );
  const [main] = spec.templates ?? [];
  assert.deepEqual(main?.inputs?.parameters, [{ name: 'p', default: '1.5', enum: ['1', 'two'] }]);
  assert.equal(main?.outputs?.parameters?.[0]?.valueFrom?.default, '0');
});

test('null fields are absent, null items are not', () => {
  const { spec } = parseWorkflow({
    metadata: { name: 'x' },
    spec: { onExit: null, templates: [{ name: 'm', steps: [[{ name: 's', template: 't', withItems: [null, 1] }]] }] },
  });
  assert.equal('onExit' in spec, false);
  assert.deepEqual(spec.templates?.[0]?.steps?.[0]?.[0]?.withItems, [null, 1]);
});

for (const text of ['[1]', 'a: [', 'spec: 3']) {
  test(`${text} is no workflow`, () => {
    assert.throws(
      () => parseWorkflow(text),
      (error: unknown) => isError(error, 'invalid-document'),
    );
  });
}

test('a quoted text may end at the indentation of its list, as Go accepts', () => {
  const { spec } = parseWorkflow(`
spec:
  templates:
  - name: main
    container:
      args: ["
        echo a &&
        echo b
      "]
  - name: other
`);
  assert.deepEqual(
    spec.templates?.map(({ name }) => name),
    ['main', 'other'],
  );
  assert.deepEqual(spec.templates?.[0]?.container?.args, [' echo a && echo b ']);
});
