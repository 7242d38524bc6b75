import type { GraphCall, GraphService, MeshGraph } from '@chandlery/mesh/kinds';
import type { Graph, GraphEdge, GraphNode } from '../../ui/graph/graph.ts';
import type { Legend } from '../../ui/graph/graph-drawing.tsx';
import { keyOf, serviceMark, sharesOf } from './mesh.ts';

/** Ids of nodes: services by `namespace/name`, accounts behind no service by this prefix. */
export const accountPrefix = 'account:';

/** The graph of a mesh as nodes and edges: services call services; who calls without being one is an account. */
export function meshDrawing({ services, calls }: MeshGraph, hasDenied: boolean): Graph {
  const shown = calls.filter(({ access }) => hasDenied || access !== 'none');
  const behind = Map.groupBy(
    services.flatMap(service => service.serviceAccounts.map(account => ({ account, key: keyOf(service) }))),
    ({ account }) => account,
  );
  const sourcesOf = (account: string): readonly string[] =>
    behind.get(account)?.map(({ key }) => key) ?? [`${accountPrefix}${account}`];
  const strangers = new Set(shown.map(({ from }) => from).filter(account => !behind.has(account)));
  const splits = services.flatMap(splitEdges);
  const edges = shown.flatMap(call => sourcesOf(call.from).flatMap(from => callEdge(from, call) ?? []));
  return {
    nodes: [...services.map(serviceNode), ...[...strangers].map(accountNode)],
    edges: [...withoutHidden(edges, splits), ...splits],
  };
}

/** What the lines of the drawing mean. */
export const callLegend = (hasDenied: boolean): Legend => [
  ['ready', 'may call'],
  ['none', 'may make some calls, or gets a share'],
  ...(hasDenied ? ([['failed', 'is denied']] as const) : []),
];

/** Denied calls must not hide what else is between two services, and are labelled once in both directions. */
function withoutHidden(calls: readonly GraphEdge[], splits: readonly GraphEdge[]): readonly GraphEdge[] {
  const endsOf = ({ from, to }: GraphEdge): string => [from, to].toSorted().join(' ');
  const divided = new Set(splits.map(endsOf));
  const labelled = new Set<string>();
  return calls
    .filter(edge => edge.state !== 'failed' || !divided.has(endsOf(edge)))
    .map(edge => {
      if (edge.state !== 'failed') return edge;
      const ends = endsOf(edge);
      const { label: _, ...plain } = edge;
      if (labelled.has(ends)) return plain;
      labelled.add(ends);
      return edge;
    });
}

function serviceNode(service: GraphService): GraphNode {
  const { state, word } = serviceMark(service);
  return { id: keyOf(service), title: service.name, subtitle: service.namespace, state, word };
}

const accountNode = (account: string): GraphNode => ({
  id: `${accountPrefix}${account}`,
  title: account.split('/').at(-1) ?? account,
  subtitle: account.split('/')[0] ?? '',
  state: 'exists',
  symbol: '○',
  word: 'Account',
});

function callEdge(from: string, { to, access }: GraphCall): GraphEdge | undefined {
  if (from === to) return undefined;
  switch (access) {
    case 'all':
      return { from, to, state: 'ready' };
    case 'some':
      return { from, to, label: 'some' };
    case 'none':
      return { from, to, state: 'failed', label: 'denied' };
  }
}

const splitEdges = (service: GraphService): readonly GraphEdge[] =>
  sharesOf(service.split?.backends ?? [])
    .filter(({ key }) => key !== keyOf(service))
    .map(({ key, percent }) => ({ from: keyOf(service), to: key, label: `${percent} %` }));
