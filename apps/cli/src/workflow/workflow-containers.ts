import type { NodeStatus, podNameOf } from '@chandlery/workflow';
import { templateOf } from './draw-nodes.ts';
import { nodesOf, type WorkflowObject } from './workflow-objects.ts';

/** A container of a node that has been started. */
export interface NodeContainer {
  readonly pod: string;
  readonly container: string;
  readonly node: NodeStatus;
}

const unstarted: ReadonlySet<string> = new Set(['Skipped', 'Omitted']);

/** The containers of a Workflow in the order of their start; with `wanted` those of the nodes, pods or ids of that name. */
export function containersOf(
  workflow: WorkflowObject,
  { podNameOf: podName, wanted }: { readonly podNameOf: typeof podNameOf; readonly wanted?: string | undefined },
): readonly NodeContainer[] {
  const { name = '' } = workflow.metadata;
  return nodesOf(workflow)
    .filter(({ type, phase }) => type === 'Pod' && !unstarted.has(phase))
    .toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
    .map(node => ({ node, pod: podName(name, node.name, templateOf(node)) }))
    .filter(({ node, pod }) => wanted === undefined || [pod, node.displayName, node.id, node.name].includes(wanted))
    .flatMap(({ node, pod }) => namesOf(node, workflow).map(container => ({ node, pod, container })));
}

/** Those of a container set are nodes below that of the pod. */
function namesOf({ children = [] }: NodeStatus, { status }: WorkflowObject): readonly string[] {
  const below = children.map(id => status?.nodes?.[id]).filter(child => child?.type === 'Container');
  return below.length === 0 ? ['main'] : below.map(child => child?.displayName ?? 'main');
}
