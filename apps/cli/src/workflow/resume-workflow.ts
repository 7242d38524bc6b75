import { ChandleryError, isError, matchesFields, parseFieldSelector } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { NodeStatus } from '@chandlery/workflow';
import { nodesOf, refOf, type WorkflowObject } from './workflow-objects.ts';

/** Nodes change all the time; then the change is made again. */
const maxAttempts = 20;

/** Resumes a Workflow, or the suspended nodes that a selector selects: a PUT of the object, as Argo's command line does. */
export async function resumeWorkflow(client: Client, workflow: WorkflowObject, selector?: string): Promise<void> {
  let current = workflow;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.update(refOf(workflow), resumed(current, selector, new Date()));
      return;
    } catch (thrown) {
      if (!isError(thrown, 'Conflict') || attempt >= maxAttempts) throw thrown;
    }
    current = await client.get<WorkflowObject>(refOf(workflow));
  }
}

/** The Workflow with its suspended nodes ended. Throws `NotSuspended` when there is nothing to resume. */
export function resumed(workflow: WorkflowObject, selector: string | undefined, now: Date): WorkflowObject {
  const nodes = nodesOf(workflow).filter(node => isSuspended(node) && isSelected(node, selector));
  const isWhole = selector === undefined && workflow.spec.suspend === true;
  if (nodes.length === 0 && !isWhole) throw notSuspended(selector);
  const ended = Object.fromEntries<NodeStatus>(
    nodes.map(node => [node.id, { ...node, phase: 'Succeeded', finishedAt: now.toISOString() }]),
  );
  const { suspend, ...spec } = workflow.spec;
  return {
    ...workflow,
    spec: selector === undefined || suspend === undefined ? spec : { ...spec, suspend },
    status: { ...workflow.status, nodes: { ...workflow.status?.nodes, ...ended } },
  };
}

const isSuspended = ({ type, phase }: NodeStatus): boolean => type === 'Suspend' && phase === 'Running';

function isSelected(node: NodeStatus, selector: string | undefined): boolean {
  if (selector === undefined) return true;
  const { displayName, name, id, phase, templateName = '' } = node;
  const fields: Readonly<Record<string, string>> = { displayName, name, id, phase, templateName };
  return matchesFields(parseFieldSelector(selector), path => fields[path] ?? '');
}

const notSuspended = (selector: string | undefined): ChandleryError =>
  new ChandleryError(
    'NotSuspended',
    selector === undefined ? 'nothing of it is suspended' : `no suspended node has ${selector}`,
    { hint: '"npx chandlery workflow get NAME" shows its nodes; suspended ones have the symbol ǁ.' },
  );
