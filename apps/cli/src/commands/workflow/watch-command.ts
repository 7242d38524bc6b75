import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { formatValue } from '../../output/print-object.ts';
import { assertSucceeded, untilEnded } from '../../workflow/follow-workflow.ts';
import { watchWorkflow } from '../../workflow/watch-workflow.ts';
import { followFlags, namespaceFlag, workflowGroup } from '../../workflow/workflow-flags.ts';
import { connectWorkflows, findWorkflow, namespaceOf } from '../../workflow/workflow-objects.ts';
import { timeoutOf } from './submit-command.ts';

/** Shows a Workflow until it has ended. */
export const watchCommand: Command = {
  name: 'workflow watch',
  group: workflowGroup,
  summary: 'Show the nodes of a workflow as they change, until it has ended',
  usage: 'NAME [flags]',
  examples: ['chandlery workflow watch hello', 'chandlery workflow watch @latest --timeout 600'],
  arguments: { required: ['NAME'] },
  options: { ...namespaceFlag, timeout: followFlags.timeout },
  notes: [
    'A terminal shows the tree of nodes, drawn again in place; a file or a pipe gets a line for each change of a node.',
    'The exit code is 1 when the workflow fails. -o json and -o yaml print it once, when it has ended.',
  ],
  goal: ([name]) => `watch the workflow "${name}"`,
  async run(context) {
    const format = formatOf(context.flags);
    const timeoutMs = timeoutOf(context);
    await using client = connectWorkflows(context);
    const found = await findWorkflow(client, namespaceOf(context), context.args[0] ?? '');
    const ended =
      format === 'table'
        ? await watchWorkflow(context, client, found, { timeoutMs })
        : await untilEnded(client, found, { timeoutMs });
    if (format !== 'table') context.stdout.write(formatValue(ended, format));
    assertSucceeded(ended);
    return 0;
  },
};
