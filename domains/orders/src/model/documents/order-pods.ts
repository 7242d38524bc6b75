import type { KubeObject } from '@chandlery/api';
import { type NodeStatus, podNameOf } from '@chandlery/workflow';
import type { ContainerRef } from '../../order-ports.ts';
import { nodesOf } from './workflow-nodes.ts';

/** A container of an order's node. */
export interface NodeContainer extends ContainerRef {
  /** The display name of the node. */
  readonly node: string;
  /** The id of the node: that of the pod, also for containers of a set. */
  readonly nodeId: string;
  readonly isRunning: boolean;
}

/** Returns the containers of users that a Workflow has started, in the order of their start. */
export function containersOf(workflow: KubeObject): readonly NodeContainer[] {
  const { name = '', namespace = '' } = workflow.metadata;
  const nodes = nodesOf(workflow);
  const byId = new Map(nodes.map(node => [node.id, node]));
  const pods = nodes.filter(({ type, phase }) => type === 'Pod' && phase !== 'Skipped' && phase !== 'Omitted');
  return pods.sort(byStart).flatMap(node => {
    const template = node.templateName ?? node.templateRef?.template;
    const pod = podNameOf(name, node.name, template);
    const isRunning = node.phase === 'Running' || node.phase === 'Pending';
    return containerNames(node, byId).map(container => ({
      namespace,
      pod,
      container,
      node: node.displayName,
      nodeId: node.id,
      isRunning,
    }));
  });
}

/** Returns the names of the pods of a Workflow's nodes. */
export function podsOf(workflow: KubeObject): readonly string[] {
  const { name = '' } = workflow.metadata;
  const pods = nodesOf(workflow).filter(({ type }) => type === 'Pod');
  return pods.map(node => podNameOf(name, node.name, node.templateName ?? node.templateRef?.template));
}

const byStart = (one: NodeStatus, other: NodeStatus): number =>
  one.startedAt < other.startedAt ? -1 : one.startedAt > other.startedAt ? 1 : 0;

/** Those of a container set are nodes below the pod's. */
function containerNames({ children = [] }: NodeStatus, byId: ReadonlyMap<string, NodeStatus>): readonly string[] {
  const names = children.map(id => byId.get(id)).filter(child => child?.type === 'Container');
  return names.length === 0 ? ['main'] : names.map(child => child?.displayName ?? 'main');
}
