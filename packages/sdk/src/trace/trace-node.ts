import type { KubeObject } from '@chandlery/api';
import { conditionsOf, findCondition, podFailure } from '@chandlery/runtime';

/** The state of an object. */
export type TraceState = 'ready' | 'waiting' | 'failed' | 'deleting' | 'exists';

/** An object, and everything that it caused. */
export interface TraceNode {
  /** The cluster's name. */
  readonly cluster: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly state: TraceState;
  /** Why it is not ready. */
  readonly reason?: string;
  readonly message?: string;
  readonly children: readonly TraceNode[];
}

interface Situation {
  readonly state: TraceState;
  readonly reason?: string;
  readonly message?: string;
}

/** The state of an object, from its conditions, phase or other common status fields. */
export function situationOf(object: KubeObject): Situation {
  if (object.metadata.deletionTimestamp !== undefined) return { state: 'deleting', ...blockersOf(object) };
  return ofPod(object) ?? ofConditions(object) ?? ofPhase(object) ?? { state: 'exists' };
}

function blockersOf(object: KubeObject): { readonly message?: string } {
  const blocking = conditionsOf(object).find(({ status, message = '' }) => status !== 'Unknown' && message !== '');
  if (blocking?.message !== undefined) return { message: blocking.message };
  const { finalizers = [] } = object.metadata;
  return finalizers.length === 0 ? {} : { message: `waits for ${finalizers.join(', ')}` };
}

/** Conditions that summarise others, in order of preference. */
const summaries = ['Ready', 'Available', 'Established', 'Complete', 'Initialized'];

function ofConditions(object: KubeObject): Situation | undefined {
  const failed = findCondition(object, 'Failed');
  if (failed?.status === 'True') return { state: 'failed', ...wordsOf(failed) };
  const summary = summaries.map(type => findCondition(object, type)).find(condition => condition !== undefined);
  if (summary === undefined) return undefined;
  if (summary.status === 'True') return { state: 'ready' };
  const { phase } = (object['status'] ?? {}) as { phase?: unknown };
  return {
    state: phase === 'Failed' || /error|fail|denied|conflict/i.test(summary.reason ?? '') ? 'failed' : 'waiting',
    ...wordsOf(summary),
  };
}

const wordsOf = ({ reason, message }: { readonly reason?: string; readonly message?: string }) => ({
  ...(reason ? { reason } : {}),
  ...(message ? { message } : {}),
});

const goodPhases = ['Ready', 'Granted', 'Active', 'Running', 'Succeeded', 'Bound'];

function ofPhase(object: KubeObject): Situation | undefined {
  const { phase } = (object['status'] ?? {}) as { phase?: unknown };
  if (typeof phase !== 'string' || phase === '') return undefined;
  if (goodPhases.includes(phase)) return { state: 'ready' };
  return { state: /fail|denied/i.test(phase) ? 'failed' : 'waiting', reason: phase };
}

interface WaitingContainer {
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
}

/** The state of a pod, from its containers. */
function ofPod(object: KubeObject): Situation | undefined {
  if (object.kind !== 'Pod') return undefined;
  const { containerStatuses = [], phase } = (object['status'] ?? {}) as {
    containerStatuses?: WaitingContainer[];
    phase?: string;
  };
  if (phase === 'Succeeded') return { state: 'ready', reason: 'Succeeded' };
  const waiting = containerStatuses.map(({ state }) => state?.waiting).find(state => state?.reason !== undefined);
  const message = podFailure(object);
  if (message !== undefined) return { state: 'failed', reason: waiting?.reason ?? 'Error', message };
  if (waiting === undefined || waiting.reason === 'ContainerCreating') return undefined;
  return { state: 'failed', ...wordsOf(waiting) };
}

const urgency: Readonly<Record<TraceState, number>> = { failed: 0, deleting: 1, waiting: 2, exists: 3, ready: 3 };

/** The worst state in a tree, as a number: the lower, the worse. */
const urgencyOf = (node: TraceNode): number => Math.min(urgency[node.state], ...node.children.map(urgencyOf));

/** Problems first, otherwise by cluster, kind and name. */
export function inOrder(nodes: readonly TraceNode[]): readonly TraceNode[] {
  const key = ({ cluster, kind, namespace = '', name }: TraceNode): string =>
    [cluster, kind, namespace, name].join('/');
  return nodes.toSorted((left, right) => urgencyOf(left) - urgencyOf(right) || (key(left) < key(right) ? -1 : 1));
}

const isProblem = ({ state }: TraceNode): boolean => state === 'failed' || state === 'waiting' || state === 'deleting';

/** The tree without branches in which everything is in order. The root stays. */
export function problemsOf(root: TraceNode): TraceNode {
  const children = root.children.map(problemsOf).filter(child => isProblem(child) || child.children.length > 0);
  return { ...root, children };
}
