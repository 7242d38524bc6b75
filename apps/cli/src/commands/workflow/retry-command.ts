import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { RetryOptions } from '@chandlery/workflow';
import type { Flags } from '../../args/flags.ts';
import type { Command } from '../../command.ts';
import { nameOf } from '../../output/print-results.ts';
import { assertSucceeded, untilEnded } from '../../workflow/follow-workflow.ts';
import { retried } from '../../workflow/retry-workflow.ts';
import { watchWorkflow } from '../../workflow/watch-workflow.ts';
import {
  followFlags,
  namespaceFlag,
  parameterFlag,
  parametersOf,
  workflowGroup,
} from '../../workflow/workflow-flags.ts';
import {
  connectWorkflows,
  findWorkflow,
  namespaceOf,
  refOf,
  type WorkflowObject,
} from '../../workflow/workflow-objects.ts';
import { timeoutOf } from './submit-command.ts';

const maxAttempts = 5;

/** Starts a failed Workflow again. */
export const retryCommand: Command = {
  name: 'workflow retry',
  group: workflowGroup,
  summary: 'Start a failed workflow again from its failures',
  usage: 'NAME [flags]',
  examples: [
    'chandlery workflow retry hello --watch',
    'chandlery workflow retry hello --restart-successful --node-field-selector templateName=build',
  ],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {
    ...namespaceFlag,
    ...parameterFlag,
    'restart-successful': {
      type: 'switch',
      about: 'Execute selected nodes again that have succeeded. Default: false.',
    },
    'node-field-selector': {
      type: 'text',
      valueName: 'FIELD=VALUE',
      about: 'Which nodes that have succeeded are executed again. Default: none.',
    },
    ...followFlags,
  },
  notes: [
    'Nodes that have succeeded are kept. With --wait and --watch the exit code is 1 when the workflow fails again.',
  ],
  goal: ([name]) => `retry the workflow "${name}"`,
  async run(context) {
    const { flags, stdout } = context;
    const [options, timeoutMs] = [optionsOf(flags), timeoutOf(context)];
    await using client = connectWorkflows(context);
    const found = await findWorkflow(client, namespaceOf(context), context.args[0] ?? '');
    const started = await write(client, found, options);
    stdout.write(`${nameOf(found)} retried\n`);
    if (!flags.isOn('wait') && !flags.isOn('watch')) return 0;
    const follow = flags.isOn('watch')
      ? watchWorkflow(context, client, started, { timeoutMs })
      : untilEnded(client, started, { timeoutMs });
    assertSucceeded(await follow);
    return 0;
  },
};

function optionsOf(flags: Flags): RetryOptions {
  const selector = flags.text('node-field-selector');
  const parameters = parametersOf(flags);
  return {
    restartSuccessful: flags.isOn('restart-successful'),
    ...(selector !== undefined && { selector }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
}

/** Writes the Workflow; when the controller has written it meanwhile, what is written is computed again. */
async function write(client: Client, workflow: WorkflowObject, options: RetryOptions): Promise<WorkflowObject> {
  let current = workflow;
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.update(refOf(current), await retried(current, options));
    } catch (thrown) {
      if (!isError(thrown, 'Conflict') || attempt >= maxAttempts) throw thrown;
    }
    current = await client.get<WorkflowObject>(refOf(current));
  }
}
