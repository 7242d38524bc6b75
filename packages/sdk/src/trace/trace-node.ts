import type { ObjectState } from '@chandlery/api';

/** An object, and everything that it caused. */
export interface TraceNode {
  /** The cluster's name. */
  readonly cluster: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The name that people gave it, where its own is an id. */
  readonly displayName?: string;
  readonly state: ObjectState;
  /** Why it is not ready. */
  readonly reason?: string;
  readonly message?: string;
  readonly children: readonly TraceNode[];
}

const urgency: Readonly<Record<ObjectState, number>> = { failed: 0, deleting: 1, waiting: 2, exists: 3, ready: 3 };

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
