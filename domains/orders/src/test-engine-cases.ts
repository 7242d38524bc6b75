import type { Template, WorkflowDocument, WorkflowSpec } from '@chandlery/workflow';
import { argoApiVersion } from './kinds/workflows/index.ts';
import { orderAnnotations, orderLabels, workflowName } from './model/documents/order-document.ts';
import { urnOf } from './model/urns.ts';

/** A document of the contract suite. Its order has always the same id, so that node ids are those of the recording. */
export interface EngineCase {
  /** The UUID of the order. */
  readonly id: string;
  readonly spec: (folder: string) => WorkflowSpec;
}

const image = 'alpine:3.7';
const shell = (name: string, text: string, more: Partial<Template> = {}): Template => ({
  name,
  container: { image, command: ['sh', '-c'], args: [text] },
  ...more,
});
const single = (text: string, more: Partial<WorkflowSpec> = {}): WorkflowSpec => ({
  entrypoint: 'main',
  templates: [shell('main', text)],
  ...more,
});
const input = (name: string) => ({ inputs: { parameters: [{ name }] } });
const argument = (name: string, value: string) => ({ arguments: { parameters: [{ name, value }] } });
const idOf = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;

/** All documents of the contract suite. */
export const engineCases = {
  outputs: {
    id: idOf(1),
    spec: () => ({
      entrypoint: 'main',
      templates: [
        {
          name: 'main',
          steps: [
            [{ name: 'make', template: 'make' }],
            [{ name: 'use', template: 'use', ...argument('value', '{{steps.make.outputs.parameters.value}}') }],
          ],
        },
        shell('make', 'echo making; echo made > /tmp/contract-value', {
          outputs: { parameters: [{ name: 'value', valueFrom: { path: '/tmp/contract-value' } }] },
        }),
        shell('use', 'echo used {{inputs.parameters.value}}', input('value')),
      ],
    }),
  },
  twice: { id: idOf(2), spec: () => single('true') },
  stop: {
    id: idOf(3),
    spec: () => ({
      entrypoint: 'main',
      onExit: 'leave',
      templates: [shell('main', 'exec sleep 300'), shell('leave', 'true')],
    }),
  },
  approve: {
    id: idOf(4),
    spec: () => ({
      entrypoint: 'main',
      templates: [
        {
          name: 'main',
          steps: [
            [{ name: 'approve', template: 'approve' }],
            [{ name: 'use', template: 'use', ...argument('answer', '{{steps.approve.outputs.parameters.answer}}') }],
          ],
        },
        { name: 'approve', suspend: {}, outputs: { parameters: [{ name: 'answer', valueFrom: { supplied: {} } }] } },
        shell('use', 'echo answer {{inputs.parameters.answer}}', input('answer')),
      ],
    }),
  },
  suspended: { id: idOf(5), spec: () => single('true', { suspend: true }) },
  retry: {
    id: idOf(6),
    spec: folder => ({
      entrypoint: 'main',
      templates: [
        { name: 'main', steps: [[{ name: 'first', template: 'first' }], [{ name: 'second', template: 'second' }]] },
        shell('first', 'true'),
        shell('second', `test -e ${folder}/ready`),
      ],
    }),
  },
  invalid: {
    id: idOf(7),
    spec: () => ({
      entrypoint: 'main',
      templates: [{ name: 'main', steps: [[{ name: 'a', template: 'missing' }]] }],
    }),
  },
  removed: { id: idOf(8), spec: () => single('exec sleep 300') },
} as const satisfies Readonly<Record<string, EngineCase>>;

/** The Workflow of a case, as that of an order. */
export const caseDocument = ({ id, spec }: EngineCase, namespace: string, folder: string): WorkflowDocument => ({
  apiVersion: argoApiVersion,
  kind: 'Workflow',
  metadata: {
    name: workflowName({ id }),
    namespace,
    labels: { [orderLabels.order]: id },
    annotations: { [orderAnnotations.order]: urnOf('order', id) },
  },
  spec: spec(folder),
});
