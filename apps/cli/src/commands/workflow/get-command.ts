import { formatOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { printList, printOne } from '../../output/print-results.ts';
import { paintSymbols } from '../../workflow/paint-symbols.ts';
import { listedWorkflows, renderWorkflow } from '../../workflow/render-workflow.ts';
import { namespaceFlag, workflowGroup } from '../../workflow/workflow-flags.ts';
import { loadWorkflow } from '../../workflow/workflow-module.ts';
import {
  connectWorkflows,
  findWorkflow,
  listWorkflows,
  namespaceOf,
  type WorkflowObject,
} from '../../workflow/workflow-objects.ts';

/** Shows one Workflow with the tree of its nodes, or lists all. */
export const getCommand: Command = {
  name: 'workflow get',
  aliases: ['workflow list'],
  group: workflowGroup,
  summary: 'Show a workflow with the tree of its nodes, or list all workflows',
  usage: '[NAME] [flags]',
  examples: ['chandlery workflow get', 'chandlery workflow get hello', 'chandlery workflow get @latest -o yaml'],
  arguments: { optional: ['NAME'] },
  formats: resultFormats,
  options: { ...namespaceFlag },
  notes: ['NAME "@latest" stands for the newest workflow of the namespace.'],
  goal: ([name]) => (name === undefined ? 'list the workflows' : `show the workflow "${name}"`),
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using client = connectWorkflows(context);
    const [name] = context.args;
    if (name === undefined) {
      const items = await listWorkflows(client, namespaceOf(context));
      printList(context, { items, listed: listedWorkflows, format });
      return 0;
    }
    const object = await findWorkflow(client, namespaceOf(context), name);
    printOne(context, { object, format, render: await painted(context) });
    return 0;
  },
};

async function painted({ stdout, env }: CommandContext): Promise<(workflow: WorkflowObject) => string> {
  const { podNameOf } = await loadWorkflow();
  const paint = paintSymbols(stdout, env);
  return workflow => paint(renderWorkflow(workflow, { now: new Date(), podNameOf }));
}
