import type { KubeObject } from '@chandlery/api';
import type { PodObject } from './objects.ts';

export interface NodeObject extends KubeObject {
  spec?: { unschedulable?: boolean };
  status?: { conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The decision about a pod. */
export type Placement =
  | { readonly type: 'bind'; readonly node: string }
  | { readonly type: 'wait'; readonly message: string };

/** Finds a node for a pod; the message of one that has to wait is the same for the same problem. */
export function placePod(pod: PodObject, nodes: readonly NodeObject[]): Placement {
  if (nodes.length === 0) return { type: 'wait', message: 'no nodes available to schedule pods' };
  const problems = nodes.map(node => problemOf(pod, node));
  const index = problems.indexOf(undefined);
  const name = nodes[index]?.metadata.name;
  if (name !== undefined) return { type: 'bind', node: name };
  const reasons = [...new Set(problems)].sort().map(why => `${problems.filter(other => other === why).length} ${why}`);
  return { type: 'wait', message: `0/${nodes.length} nodes are available: ${reasons.join(', ')}.` };
}

function problemOf({ spec }: PodObject, node: NodeObject): string | undefined {
  if (node.spec?.unschedulable === true) return 'node(s) were unschedulable';
  const labels = node.metadata.labels ?? {};
  const wanted = Object.entries(spec?.nodeSelector ?? {});
  if (wanted.some(([key, value]) => labels[key] !== value)) return "node(s) didn't match Pod's node affinity/selector";
  const isReady = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return isReady ? undefined : 'node(s) were not ready';
}

/** True for a pod that waits for this scheduler. */
export const waitsForNode = ({ spec, metadata, status }: PodObject): boolean =>
  (spec?.nodeName ?? '') === '' &&
  metadata.deletionTimestamp === undefined &&
  (status?.phase ?? 'Pending') === 'Pending' &&
  (spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler' &&
  (spec?.schedulingGates ?? []).length === 0;
