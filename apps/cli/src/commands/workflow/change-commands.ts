import { ChandleryError } from '@chandlery/api';
import type { Command } from '../../command.ts';
import { nameOf } from '../../output/print-results.ts';
import { resumeWorkflow } from '../../workflow/resume-workflow.ts';
import { namespaceFlag, workflowGroup } from '../../workflow/workflow-flags.ts';
import {
  connectWorkflows,
  findWorkflow,
  hasEnded,
  namespaceOf,
  phaseOf,
  refOf,
  type WorkflowObject,
} from '../../workflow/workflow-objects.ts';

type Client = ReturnType<typeof connectWorkflows>;

interface Change {
  readonly verb: string;
  readonly summary: string;
  readonly done: string;
  readonly notes: readonly string[];
  readonly options?: Command['options'];
  readonly apply: (client: Client, workflow: WorkflowObject, selector: string | undefined) => Promise<void>;
}

const patchSpec =
  (spec: Readonly<Record<string, string | boolean>>): Change['apply'] =>
  async (client, workflow) => {
    await client.patch(refOf(workflow), { type: 'merge', body: { spec } });
  };

const changes: readonly Change[] = [
  {
    verb: 'stop',
    summary: 'Stop a workflow: end what runs, and execute its exit handlers',
    done: 'is being stopped',
    notes: ['"workflow terminate" skips exit handlers.'],
    apply: patchSpec({ shutdown: 'Stop' }),
  },
  {
    verb: 'terminate',
    summary: 'Terminate a workflow at once, without its exit handlers',
    done: 'is being terminated',
    notes: ['"workflow stop" executes exit handlers.'],
    apply: patchSpec({ shutdown: 'Terminate' }),
  },
  {
    verb: 'suspend',
    summary: 'Start no further nodes of a workflow until it is resumed',
    done: 'suspended',
    notes: ['Nodes that run already continue to their end.'],
    apply: patchSpec({ suspend: true }),
  },
  {
    verb: 'resume',
    summary: 'Continue a suspended workflow, or suspended nodes of it',
    done: 'resumed',
    notes: ['Without a selector all suspended nodes end as Succeeded, and a suspended workflow starts nodes again.'],
    options: {
      'node-field-selector': {
        type: 'text',
        valueName: 'FIELD=VALUE',
        about: 'Only suspended nodes with this field, such as displayName=approve. Default: all.',
      },
    },
    apply: resumeWorkflow,
  },
];

/** Commands that change a Workflow which has not ended. */
export const changeCommands: readonly Command[] = changes.map(({ verb, summary, done, notes, options, apply }) => ({
  name: `workflow ${verb}`,
  group: workflowGroup,
  summary,
  usage: 'NAME [flags]',
  examples: [`chandlery workflow ${verb} hello`, `chandlery workflow ${verb} @latest -n acme`],
  arguments: { required: ['NAME'] },
  formats: [],
  options: { ...namespaceFlag, ...options },
  notes,
  goal: ([name]) => `${verb} the workflow "${name}"`,
  async run(context) {
    await using client = connectWorkflows(context);
    const workflow = await findWorkflow(client, namespaceOf(context), context.args[0] ?? '');
    if (hasEnded(workflow))
      throw new ChandleryError('Conflict', `it has ended: its phase is ${phaseOf(workflow)}`, {
        hint: '"npx chandlery workflow retry" starts a failed workflow again from its failures.',
      });
    await apply(client, workflow, context.flags.text('node-field-selector'));
    context.stdout.write(`${nameOf(workflow)} ${done}\n`);
    return 0;
  },
}));
