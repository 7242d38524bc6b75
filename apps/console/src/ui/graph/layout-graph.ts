import { Graph as DagreGraph, type EdgeLabel, type GraphLabel, layout, type NodeLabel } from '@dagrejs/dagre';
import type { GraphEdge } from './graph.ts';

/** The size of a node in the drawing, the same for all. */
export const nodeSize = { width: 210, height: 58 } as const;
const gaps = { nodesep: 18, ranksep: 56, marginx: 16, marginy: 16 } as const;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where everything is. Nodes by their middle. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly places: readonly (Point & { readonly id: string })[];
  readonly lines: readonly { readonly edge: Pick<GraphEdge, 'from' | 'to'>; readonly points: readonly Point[] }[];
}

/** Places nodes in layers from left to right. Loaded when a graph is first drawn: the library is a chunk of its own. */
export function layoutGraph(ids: readonly string[], edges: readonly GraphEdge[]): GraphLayout {
  const graph = new DagreGraph<GraphLabel, NodeLabel, EdgeLabel>();
  graph.setGraph({ rankdir: 'LR', ...gaps });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...nodeSize });
  for (const { from, to } of edges) graph.setEdge(from, to, {});
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    places: ids.map(id => ({ id, ...pointOf(graph.node(id)) })),
    lines: edges.map(edge => ({ edge, points: (graph.edge(edge.from, edge.to).points ?? []).map(pointOf) })),
  };
}

const pointOf = ({ x = 0, y = 0 }: { readonly x?: number; readonly y?: number }): Point => ({ x, y });
