import type { Client } from '@chandlery/client';
import type { CommandContext } from '../command.ts';
import { LiveScreen } from '../output/live-screen.ts';
import { untilEnded } from './follow-workflow.ts';
import { nodeChanges } from './node-changes.ts';
import { paintSymbols } from './paint-symbols.ts';
import { renderWorkflow } from './render-workflow.ts';
import { loadWorkflow } from './workflow-module.ts';
import { phaseOf, type WorkflowObject } from './workflow-objects.ts';

/** How often the tree is drawn: changes between are coalesced, and durations advance. */
const redrawMs = 250;

export interface WatchWorkflowOptions {
  readonly timeoutMs?: number | undefined;
}

/** Shows a Workflow until it has ended: a tree that is drawn in place on a terminal, otherwise a line for each change. */
export async function watchWorkflow(
  context: CommandContext,
  client: Client,
  workflow: WorkflowObject,
  options: WatchWorkflowOptions = {},
): Promise<WorkflowObject> {
  const show = context.stdout.isTTY === true ? showOnTerminal : showAsLines;
  return await show(context, client, workflow, options);
}

async function showOnTerminal(
  { stdout, env }: CommandContext,
  client: Client,
  workflow: WorkflowObject,
  options: WatchWorkflowOptions,
): Promise<WorkflowObject> {
  const { podNameOf } = await loadWorkflow();
  const screen = new LiveScreen(stdout, paintSymbols(stdout, env));
  let last = workflow;
  const render = (): string => renderWorkflow(last, { now: new Date(), podNameOf });
  const timer = setInterval(() => screen.draw(render()), redrawMs);
  const onState = (state: WorkflowObject): void => {
    last = state;
  };
  screen.draw(render());
  try {
    return await untilEnded(client, workflow, { ...options, onState });
  } finally {
    clearInterval(timer);
    screen.finish(render());
  }
}

async function showAsLines(
  { stdout }: CommandContext,
  client: Client,
  workflow: WorkflowObject,
  options: WatchWorkflowOptions,
): Promise<WorkflowObject> {
  let before: WorkflowObject | undefined;
  const onState = (state: WorkflowObject): void => {
    for (const line of nodeChanges(before, state, new Date())) stdout.write(`${line}\n`);
    before = state;
  };
  const ended = await untilEnded(client, workflow, { ...options, onState });
  const { message = '' } = ended.status ?? {};
  stdout.write(`${ended.metadata.name}: ${phaseOf(ended)}${message === '' ? '' : `: ${message}`}\n`);
  return ended;
}
