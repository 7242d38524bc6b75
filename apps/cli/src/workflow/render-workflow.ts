import { formatAge, formatElapsed } from '@chandlery/api';
import type { podNameOf } from '@chandlery/workflow';
import { renderPairs } from '../fleet/render-parts.ts';
import type { Listed } from '../output/print-results.ts';
import { oneLine } from '../output/report-error.ts';
import { drawNodes } from './draw-nodes.ts';
import { nodesOf, phaseOf, type WorkflowObject } from './workflow-objects.ts';

/** Columns of the list of workflows. */
export const listedWorkflows: Listed<WorkflowObject> = {
  noun: 'workflow',
  document: 'List',
  columns: [
    ['name', ({ metadata }) => metadata.name ?? ''],
    ['status', statusText],
    ['age', ({ metadata }, now) => formatAge(metadata.creationTimestamp, now)],
    ['duration', ({ status = {} }, now) => formatElapsed(status, now)],
    ['progress', ({ status }) => status?.progress ?? ''],
    ['message', ({ status }) => oneLine(status?.message ?? '')],
  ],
  whenEmpty: 'Submit one: npx chandlery workflow submit -f FILE',
};

/** Everything worth reading about a workflow, with the tree of its nodes. */
export function renderWorkflow(
  workflow: WorkflowObject,
  options: { readonly now: Date; readonly podNameOf: typeof podNameOf },
): string {
  const { metadata, status = {} } = workflow;
  const { name = '', creationTimestamp } = metadata;
  const pairs = renderPairs([
    ['Name', name],
    ['Namespace', metadata.namespace],
    ['Status', statusText(workflow)],
    ['Message', oneLine(status.message ?? '')],
    ['Created', creationTimestamp && `${creationTimestamp} (${formatAge(creationTimestamp, options.now)} ago)`],
    ['Started', status.startedAt],
    ['Finished', status.finishedAt],
    ['Duration', formatElapsed(status, options.now)],
    ['Progress', status.progress],
    ['Parameters', valuesText(workflow.spec.arguments?.parameters)],
    ['Outputs', valuesText(status.outputs?.parameters)],
  ]);
  const tree = drawNodes(nodesOf(workflow), { ...options, workflow: name });
  return tree === '' ? pairs : `${pairs}\n${tree}`;
}

/** The phase, and whether the workflow is suspended. */
function statusText(workflow: WorkflowObject): string {
  const phase = phaseOf(workflow);
  if (phase !== 'Running' && phase !== 'Pending') return phase;
  const isSuspended =
    workflow.spec.suspend === true ||
    nodesOf(workflow).some(({ type, phase: is }) => type === 'Suspend' && is === 'Running');
  return isSuspended ? `${phase} (Suspended)` : phase;
}

const valuesText = (parameters: readonly { readonly name: string; readonly value?: string }[] = []): string =>
  parameters.flatMap(({ name, value }) => (value === undefined ? [] : [`${name}=${oneLine(value)}`])).join(', ');
