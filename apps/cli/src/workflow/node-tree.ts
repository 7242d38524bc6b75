import type { NodeStatus } from '@chandlery/workflow';

/** A part of the drawing: a node with what is below it, or nodes that start together. */
export type TreeItem =
  | { readonly kind: 'node'; readonly node: NodeStatus; readonly children: readonly TreeItem[] }
  | { readonly kind: 'group'; readonly members: readonly TreeItem[] };

/** Nodes that hold others without being their boundary. */
const holders: ReadonlySet<string> = new Set(['StepGroup', 'Retry']);

/**
 * Arranges the nodes of a workflow as they are drawn: the entrypoint, then exit handlers. Groups of steps are drawn by
 * their members, a retry with one attempt by that attempt; task groups and omitted tasks are left out.
 */
export function nodeTrees(nodes: readonly NodeStatus[]): readonly TreeItem[] {
  const shown = nodes.filter(({ type, phase }) => type !== 'TaskGroup' && phase !== 'Omitted');
  const ids = new Set(shown.map(({ id }) => id));
  const holderOf = new Map(
    shown
      .filter(({ type }) => holders.has(type))
      .flatMap(({ id, children = [] }) => children.map(child => [child, id])),
  );
  const parentOf = ({ id, boundaryID = '' }: NodeStatus): string =>
    holderOf.get(id) ?? (ids.has(boundaryID) ? boundaryID : '');
  const byParent = Map.groupBy(shown.toSorted(compareNodes), parentOf);
  return (byParent.get('') ?? []).flatMap(root => itemOf(root, byParent));
}

function itemOf(node: NodeStatus, byParent: ReadonlyMap<string, readonly NodeStatus[]>): readonly TreeItem[] {
  const children = (byParent.get(node.id) ?? []).flatMap(child => itemOf(child, byParent));
  if (node.type === 'StepGroup') return children.length === 0 ? [] : [{ kind: 'group', members: children }];
  if (node.type === 'Retry' && children.length === 1) return children;
  return [{ kind: 'node', node, children }];
}

/** By start; those that started together by the index of their item, or by name. */
function compareNodes(one: NodeStatus, other: NodeStatus): number {
  const [start, otherStart] = [Date.parse(one.startedAt) || 0, Date.parse(other.startedAt) || 0];
  if (start !== otherStart) return start - otherStart;
  const [index, otherIndex] = [itemIndex(one), itemIndex(other)];
  if (index >= 0 && otherIndex >= 0 && index !== otherIndex) return index - otherIndex;
  return one.displayName < other.displayName ? -1 : one.displayName > other.displayName ? 1 : 0;
}

/** 3 for `name(3:value)`, -1 for nodes that are no items of a loop. */
const itemIndex = ({ displayName }: NodeStatus): number => Number(/\((\d+)(?::|\)$)/.exec(displayName)?.[1] ?? -1);
