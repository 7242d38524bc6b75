import { createHash } from 'node:crypto';
import type { KnownStatus } from '../../model/workflows/join-workflow.ts';
import {
  createRow,
  type NodeRow,
  removeRow,
  updateRow,
  type WorkflowRegistry,
  type WorkflowWrite,
} from './workflow-registry.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A node as the store sees it. */
export interface StoredNode {
  readonly id: string;
  readonly name: string;
  readonly children?: readonly string[];
}

/** A node to be stored, and how many of its children are new. */
export interface ChangedNode {
  readonly node: StoredNode;
  readonly addedChildren: number;
}

/** Whose nodes they are. */
export interface NodeOwner {
  readonly uid: string;
  readonly namespace: string;
}

/** The children in a node's own row, and in each of its pages. */
export const pageSize = 64;

const hashLength = 24;

/** The id of a row about a node. Node names are too long for object names, and Argo's ids are not unique. */
const rowId = (uid: string, ...parts: readonly string[]): string =>
  `${uid}.${createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, hashLength)}`;

/** The writes that store nodes. What they cost does not depend on how many children a node has had before. */
export function writesOfNodes(
  registry: WorkflowRegistry,
  owner: NodeOwner,
  changed: readonly ChangedNode[],
): WorkflowWrite[] {
  return changed.flatMap(({ node, addedChildren }) => [
    writeOfNode(registry, owner, node),
    ...writesOfPages(registry, owner, node, addedChildren),
  ]);
}

function writeOfNode(registry: WorkflowRegistry, { uid, namespace }: NodeOwner, node: StoredNode): WorkflowWrite {
  const id = rowId(uid, node.name);
  const { children, ...rest } = node;
  // Rows take over what they are given, and the engine keeps changing its nodes.
  const own = structuredClone({ ...rest, ...(children && { children: children.slice(0, pageSize) }) });
  const spec = { workflow: uid, node: own as unknown as Record<string, unknown> };
  const row = registry.nodes.get(id);
  return row === undefined
    ? createRow({ table: 'nodes', id, tenant: namespace, spec })
    : updateRow({ table: 'nodes', row, spec });
}

function writesOfPages(
  registry: WorkflowRegistry,
  { uid, namespace }: NodeOwner,
  { id: node, name, children = [] }: StoredNode,
  addedChildren: number,
): WorkflowWrite[] {
  if (addedChildren === 0 || children.length <= pageSize) return [];
  const first = Math.max(1, Math.floor((children.length - addedChildren) / pageSize));
  const last = Math.floor((children.length - 1) / pageSize);
  const indexes = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return indexes.map(index => {
    const id = rowId(uid, name, String(index));
    const page = children.slice(index * pageSize, (index + 1) * pageSize);
    const spec = { workflow: uid, node, index, children: page };
    const row = registry.pages.get(id);
    return row === undefined
      ? createRow({ table: 'pages', id, tenant: namespace, spec })
      : updateRow({ table: 'pages', row, spec });
  });
}

/** The nodes of a workflow in the order of their creation, each with all children. */
export function nodesOf(registry: WorkflowRegistry, uid: string): readonly Fields[] {
  const rows = [...registry.nodes.by('workflow', uid)].sort(byCreation);
  const pages = Map.groupBy(registry.pages.by('workflow', uid), ({ spec }) => spec.node);
  return rows.map(({ spec }) => {
    const further = pages.get(String(spec.node['id']));
    if (further === undefined) return spec.node;
    const rest = further.toSorted((a, b) => a.spec.index - b.spec.index).flatMap(page => page.spec.children);
    return { ...spec.node, children: [...(spec.node['children'] as readonly string[]), ...rest] };
  });
}

const byCreation = (a: NodeRow, b: NodeRow): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0;

/** The status of a workflow as it is stored; undefined when its execution has not begun. */
export function statusOf(registry: WorkflowRegistry, uid: string): KnownStatus | undefined {
  const row = registry.executions.get(uid);
  if (row === undefined) return undefined;
  const nodes = nodesOf(registry, uid).map(node => [String(node['id']), node] as const);
  return { status: row.spec.status, nodes: Object.fromEntries(nodes) };
}

/** The writes that remove nodes, by their ids. */
export const removalsOf = (registry: WorkflowRegistry, uid: string, ids: ReadonlySet<string>): WorkflowWrite[] => [
  ...[...registry.nodes.by('workflow', uid)]
    .filter(({ spec }) => ids.has(String(spec.node['id'])))
    .map(row => removeRow('nodes', row)),
  ...[...registry.pages.by('workflow', uid)]
    .filter(({ spec }) => ids.has(spec.node))
    .map(row => removeRow('pages', row)),
];

/** The writes that remove everything about a workflow. */
export function removalOfAll(registry: WorkflowRegistry, uid: string): WorkflowWrite[] {
  const execution = registry.executions.get(uid);
  return [
    ...[...registry.nodes.by('workflow', uid)].map(row => removeRow('nodes', row)),
    ...[...registry.pages.by('workflow', uid)].map(row => removeRow('pages', row)),
    ...(execution === undefined ? [] : [removeRow('executions', execution)]),
  ];
}
