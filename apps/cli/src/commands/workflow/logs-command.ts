import { ChandleryError } from '@chandlery/api';
import type { Command } from '../../command.ts';
import { followLogs, printLogs } from '../../workflow/print-logs.ts';
import { namespaceFlag, workflowGroup } from '../../workflow/workflow-flags.ts';
import { connectWorkflows, findWorkflow, hasEnded, namespaceOf } from '../../workflow/workflow-objects.ts';

/** Prints the logs of a Workflow. */
export const logsCommand: Command = {
  name: 'workflow logs',
  group: workflowGroup,
  summary: 'Print what the nodes of a workflow have printed',
  usage: 'NAME [NODE] [flags]',
  examples: [
    'chandlery workflow logs hello',
    'chandlery workflow logs @latest -w',
    'chandlery workflow logs hello build',
  ],
  arguments: { required: ['NAME'], optional: ['NODE'] },
  formats: [],
  options: {
    ...namespaceFlag,
    follow: {
      type: 'switch',
      short: 'w',
      former: ['f'],
      about: 'Continue until the workflow has ended. Default: false.',
    },
  },
  notes: [
    'NODE is the name of a node, or of its pod; without it the name of the pod stands before each line.',
    'Logs are kept after the pods are deleted.',
  ],
  goal: ([name]) => `print the logs of the workflow "${name}"`,
  async run(context) {
    const { flags, args, stdout } = context;
    const [name = '', wanted] = args;
    await using client = connectWorkflows(context);
    const workflow = await findWorkflow(client, namespaceOf(context), name);
    if (flags.isOn('follow') && !hasEnded(workflow)) {
      await followLogs(client, workflow, { wanted, stdout });
      return 0;
    }
    const count = await printLogs(client, workflow, { wanted, stdout });
    if (count > 0 || wanted === undefined) return 0;
    throw new ChandleryError('NotFound', `no node "${wanted}" of it has been started`, {
      hint: `"npx chandlery workflow get ${name}" shows its nodes.`,
    });
  },
};
