import type { ObjectState } from '@chandlery/api';
import type { TraceNode } from './trace-node.ts';

const marks: Readonly<Record<ObjectState, string>> = {
  ready: '✔',
  exists: '·',
  waiting: '…',
  deleting: '✗',
  failed: '✖',
};

const longest = 100;

export interface RenderOptions {
  /** Adds API versions and complete messages. Default false. */
  readonly isWide?: boolean;
}

/** Renders the tree for people, one line for each object, with its problems. */
export function renderTrace(root: TraceNode, { isWide = false }: RenderOptions = {}): string {
  const rows = [...rowsOf(root, '', '')];
  const width = Math.max(...rows.map(([label]) => label.length));
  const stateWidth = Math.max(...rows.map(([, node]) => stateOf(node).length));
  return rows
    .map(([label, node]) => {
      const state = stateOf(node).padEnd(stateWidth);
      return `${label.padEnd(width)}  ${state}  ${wordsOf(node, isWide)}`.trimEnd();
    })
    .join('\n');
}

function* rowsOf(node: TraceNode, lead: string, rest: string): Generator<[string, TraceNode]> {
  yield [`${lead}${nameOf(node)}`, node];
  for (const [index, child] of node.children.entries()) {
    const isLast = index === node.children.length - 1;
    yield* rowsOf(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`);
  }
}

const nameOf = ({ kind, name, displayName, namespace }: TraceNode): string =>
  [
    `${kind}/${name}`,
    ...(displayName === undefined ? [] : [JSON.stringify(displayName)]),
    ...(namespace === undefined ? [] : [`(${namespace})`]),
  ].join(' ');

/** An object without conditions has no state to show. */
const stateOf = ({ state }: TraceNode): string => (state === 'exists' ? marks.exists : `${marks[state]} ${state}`);

function wordsOf({ cluster, apiVersion, reason = '', message = '' }: TraceNode, isWide: boolean): string {
  const where = isWide ? `${cluster} ${apiVersion}` : cluster;
  const why = [reason, message].filter(text => text !== '').join(': ');
  const words = [where, why].filter(text => text !== '').join('  ');
  return isWide || words.length <= longest ? words : `${words.slice(0, longest - 1)}…`;
}

const colours: Readonly<Record<ObjectState, string>> = {
  ready: 'darkgreen',
  exists: 'gray',
  waiting: 'orange',
  deleting: 'purple',
  failed: 'red',
};

/** Renders the tree as a graph for Graphviz. */
export function renderDot(root: TraceNode): string {
  const lines: string[] = [];
  const visit = (node: TraceNode, parent: string | undefined): void => {
    const id = JSON.stringify([node.cluster, node.apiVersion, node.kind, node.namespace ?? '', node.name].join('|'));
    const label = JSON.stringify(`${node.kind}\n${node.name}\n${node.cluster}`);
    lines.push(`  ${id} [label=${label}, color=${colours[node.state]}];`);
    if (parent !== undefined) lines.push(`  ${parent} -> ${id};`);
    for (const child of node.children) visit(child, id);
  };
  visit(root, undefined);
  return ['digraph trace {', '  rankdir=LR;', '  node [shape=box];', ...new Set(lines), '}', ''].join('\n');
}
