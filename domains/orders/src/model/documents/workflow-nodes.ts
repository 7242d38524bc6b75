import { type KubeObject, matchesFields, parseFieldSelector } from '@chandlery/api';
import {
  type NodeStatus,
  nodeFieldsOf,
  type RetryOptions,
  retryWorkflow,
  type WorkflowDocument,
  type WorkflowStatus,
} from '@chandlery/workflow';
import { OrdersError } from '../../errors.ts';
import { workflowLabels } from '../../kinds/workflows/index.ts';

/** The status of a Workflow as it is read. */
export type ReadStatus = WorkflowStatus & { readonly nodes?: Readonly<Record<string, NodeStatus>> };

/** Returns the status of a Workflow. */
export const statusOf = (workflow: KubeObject): ReadStatus => (workflow['status'] ?? { phase: '' }) as ReadStatus;

/** Returns the nodes of a Workflow. */
export const nodesOf = (workflow: KubeObject): readonly NodeStatus[] => Object.values(statusOf(workflow).nodes ?? {});

/** Ends suspended nodes: all, or those that a field selector selects. Throws `conflict` and `invalid`. */
export function resumeNodes(workflow: KubeObject, selector: string | undefined, now: string): KubeObject {
  const { suspend: _, ...spec } = (workflow['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  const chosen = suspendedNodes(workflow, selector);
  if (selector !== undefined && chosen.length === 0) throw noneSelected(selector);
  for (const { outputs } of chosen)
    for (const { name, value, valueFrom } of outputs?.parameters ?? [])
      if (value === undefined && valueFrom?.supplied !== undefined && valueFrom.default === undefined)
        throw invalidNode(`raw output parameter '${name}' has not been set and does not have a default value`, name);
  const ended = chosen.map(node => ({ ...node, phase: 'Succeeded' as const, finishedAt: now }));
  return { ...withNodes(workflow, ended), spec: selector === undefined ? spec : workflow['spec'] };
}

/** Sets output parameters of suspended nodes. Throws `conflict` and `invalid`. */
export function setNodes(
  workflow: KubeObject,
  selector: string | undefined,
  parameters: Readonly<Record<string, string>>,
): KubeObject {
  const chosen = suspendedNodes(workflow, selector);
  if (chosen.length === 0) throw noneSelected(selector ?? '');
  return withNodes(
    workflow,
    chosen.map(node => setParameters(node, parameters)),
  );
}

function setParameters(node: NodeStatus, given: Readonly<Record<string, string>>): NodeStatus {
  const known = node.outputs?.parameters ?? [];
  for (const name of Object.keys(given)) {
    const parameter = known.find(output => output.name === name);
    if (parameter === undefined) throw invalidNode(`node is not expecting output parameter '${name}'`, name);
    if (parameter.valueFrom?.supplied === undefined || parameter.value !== undefined)
      throw invalidNode(
        `cannot set output parameter '${name}' because it does not use valueFrom.raw or it was already set`,
        name,
      );
  }
  const parameters = known.map(output =>
    given[output.name] === undefined ? output : { ...output, value: given[output.name] },
  );
  return { ...node, outputs: { ...node.outputs, parameters } };
}

/** Labels that say how a Workflow ended. */
const labelsOfEnd: ReadonlySet<string> = new Set([
  workflowLabels.phase,
  workflowLabels.completed,
  'workflows.argoproj.io/workflow-archiving-status',
]);

/** The Workflow as it is to run again. Throws `conflict` when it cannot. */
export function retryNodes(workflow: KubeObject, options: RetryOptions = {}): KubeObject {
  const { nodes = {}, ...status } = statusOf(workflow);
  try {
    const document = workflow as unknown as WorkflowDocument;
    const again = retryWorkflow({ document, status, nodes: Object.values(nodes) }, options);
    const { labels = {} } = workflow.metadata;
    const kept = Object.entries(labels).filter(([name]) => !labelsOfEnd.has(name));
    return {
      ...workflow,
      metadata: { ...workflow.metadata, labels: Object.fromEntries(kept) },
      spec: again.document.spec,
      status: {
        ...again.status,
        phase: 'Running',
        nodes: Object.fromEntries(again.nodes.map(node => [node.id, node])),
      },
    };
  } catch (error) {
    throw new OrdersError('conflict', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function suspendedNodes(workflow: KubeObject, selector: string | undefined): readonly NodeStatus[] {
  const suspended = nodesOf(workflow).filter(({ type, phase }) => type === 'Suspend' && phase === 'Running');
  if (selector === undefined || selector === '') return suspended;
  const parsed = parseFieldSelector(selector);
  return suspended.filter(node => matchesFields(parsed, nodeFieldsOf(node)));
}

function withNodes(workflow: KubeObject, changed: readonly NodeStatus[]): KubeObject {
  const status = statusOf(workflow);
  const nodes = { ...status.nodes, ...Object.fromEntries(changed.map(node => [node.id, node])) };
  return { ...workflow, status: { ...status, nodes } };
}

const noneSelected = (selector: string): OrdersError =>
  new OrdersError('conflict', `No suspended node matches the selector '${selector}'`, {
    name: 'selector',
    value: selector,
  });

const invalidNode = (message: string, name: string): OrdersError => new OrdersError('invalid', message, { name });
