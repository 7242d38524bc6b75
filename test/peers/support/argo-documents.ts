import type { Template, WorkflowSpec } from '@chandlery/workflow';

const container = (text: string) => ({ image: 'alpine:3.7', command: ['sh', '-c'], args: [text] });
const shell = (name: string, text: string, more: Partial<Template> = {}): Template => ({
  name,
  container: container(text),
  ...more,
});
const good = shell('good', 'true');
const bad = shell('bad', 'exit 3');
const say = shell('say', 'echo {{inputs.parameters.m}}', { inputs: { parameters: [{ name: 'm' }] } });
const withM = (value: string) => ({ arguments: { parameters: [{ name: 'm', value }] } });
const spec = (
  main: Partial<Template>,
  templates: readonly Template[],
  more: Partial<WorkflowSpec> = {},
): WorkflowSpec => ({
  entrypoint: 'main',
  templates: [{ name: 'main', ...main }, ...templates],
  ...more,
});

/** Documents that both engines must execute to the same end, one for each group of rules. */
export const argoDocuments: Readonly<Record<string, WorkflowSpec>> = {
  diamond: spec(
    {
      dag: {
        tasks: [
          { name: 'a', template: 'good' },
          { name: 'b', template: 'good', dependencies: ['a'] },
          { name: 'c', template: 'good', dependencies: ['a'] },
          { name: 'd', template: 'good', dependencies: ['b', 'c'] },
        ],
      },
    },
    [good],
  ),
  omitted: spec(
    {
      dag: {
        tasks: [
          { name: 'a', template: 'bad' },
          { name: 'b', template: 'good', depends: 'a.Failed' },
          { name: 'c', template: 'good', depends: 'a.Succeeded' },
        ],
      },
    },
    [good, bad],
  ),
  failure: spec(
    {
      steps: [
        [
          { name: 'a', template: 'good' },
          { name: 'b', template: 'bad' },
        ],
        [{ name: 'c', template: 'good' }],
      ],
    },
    [good, bad],
  ),
  loop: spec(
    { steps: [[{ name: 'a', template: 'say', withItems: ['x', 1, true, { k: 'v', j: 2 }], ...withM('{{item}}') }]] },
    [say],
  ),
  aggregate: spec(
    {
      dag: {
        tasks: [
          { name: 'a', template: 'count', withItems: ['1', '2'], ...withM('{{item}}') },
          { name: 'b', template: 'say', dependencies: ['a'], ...withM('{{tasks.a.outputs.result}}') },
        ],
      },
    },
    [
      {
        name: 'count',
        inputs: { parameters: [{ name: 'm' }] },
        script: { image: 'alpine:3.7', command: ['sh'], source: 'echo {{inputs.parameters.m}}' },
      },
      say,
    ],
  ),
  condition: spec(
    {
      steps: [
        [{ name: 'a', template: 'good', when: 'foo == bar' }],
        [{ name: 'b', template: 'say', ...withM('{{= asInt("3") + 1 }}') }],
      ],
    },
    [good, say],
  ),
  retry: { entrypoint: 'main', templates: [shell('main', 'test {{retries}} = 1', { retryStrategy: { limit: '2' } })] },
  retriesUsed: { entrypoint: 'main', templates: [shell('main', 'exit 4', { retryStrategy: { limit: '1' } })] },
  exitHandler: {
    entrypoint: 'main',
    onExit: 'leave',
    templates: [shell('main', 'exit 2'), shell('leave', 'test {{workflow.status}} = Failed')],
  },
  hook: spec({ steps: [[{ name: 'a', template: 'good', hooks: { exit: { template: 'good' } } }]] }, [good]),
  containerSet: {
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        containerSet: {
          containers: [
            { name: 'one', ...container('true') },
            { name: 'main', ...container('true'), dependencies: ['one'] },
          ],
        },
      },
    ],
  },
  suspend: spec({ steps: [[{ name: 'a', template: 'wait' }]] }, [{ name: 'wait', suspend: { duration: '1' } }]),
};
