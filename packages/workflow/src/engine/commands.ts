import { matchesFields, parseFieldSelector } from '@chandlery/api';
import { WorkflowError } from '../errors.ts';
import type { Core } from './core.ts';
import type { NodeStatus } from './node-status.ts';
import type { Command } from './observations.ts';
import { SuspendBody } from './suspend-body.ts';
import type { WorkflowRun } from './workflow-run.ts';

type Set = Extract<Command, { name: 'set' }>;
type Resume = Extract<Command, { name: 'resume' }>;

/** Carries out a command of a user. Throws when it does not fit the state of the workflow. */
export function carryOut(core: Core, run: WorkflowRun, command: Command): void {
  switch (command.name) {
    case 'suspend':
      if (run.isCompleted) throw new WorkflowError('invalid-command', 'cannot suspend completed workflows');
      core.isSuspended = true;
      return;
    case 'unsuspend':
      if (core.isSuspended) core.resume();
      return;
    case 'resume':
      resume(core, command);
      return;
    case 'set':
      set(core, command);
      return;
    case 'stop':
      shutDown(core, run, 'Stop');
      return;
    case 'terminate':
      shutDown(core, run, 'Terminate');
      return;
  }
}

function shutDown(core: Core, run: WorkflowRun, strategy: 'Stop' | 'Terminate'): void {
  if (run.isCompleted) throw new WorkflowError('invalid-command', 'cannot shutdown a completed workflow');
  core.shutdown = strategy;
  for (const receiver of [...core.receivers.values()]) {
    if (!core.mayExecute(receiver.isExitHandler)) receiver.abort?.('shutdown');
  }
  if (core.isSuspended) core.resume();
}

function resume(core: Core, { selector = '', message }: Resume): void {
  if (selector === '') {
    for (const suspended of suspendedBodies(core)) suspended.resume(message);
    if (core.isSuspended) core.resume();
    return;
  }
  for (const suspended of matching(core, selector)) suspended.resume(message);
}

function set(core: Core, { selector, parameters = {}, phase, message }: Set): void {
  for (const suspended of matching(core, selector)) {
    suspended.set(parameters);
    if (phase !== undefined) suspended.end(phase, message);
  }
}

const suspendedBodies = (core: Core): SuspendBody[] =>
  [...core.receivers.values()].filter(receiver => receiver instanceof SuspendBody);

function matching(core: Core, selector: string): SuspendBody[] {
  const parsed = parseFieldSelector(selector);
  const found = suspendedBodies(core).filter(({ node }) => node !== undefined && matchesFields(parsed, fieldsOf(node)));
  if (found.length > 0) return found;
  const text = `currently, set only targets suspend nodes: no suspend nodes matching nodeFieldSelector: ${selector}`;
  throw new WorkflowError('invalid-command', text);
}

/** The fields by which nodes can be selected. */
export function fieldsOf(node: NodeStatus): (path: string) => string {
  const fields: Record<string, string> = {
    displayName: node.displayName,
    templateName: node.templateName ?? node.templateRef?.template ?? '',
    phase: node.phase,
    name: node.name,
    id: node.id,
    'templateRef.name': node.templateRef?.name ?? '',
    'templateRef.template': node.templateRef?.template ?? '',
  };
  for (const { name, value } of node.inputs?.parameters ?? []) fields[`inputs.parameters.${name}.value`] = value ?? '';
  return path => fields[path] ?? '';
}
