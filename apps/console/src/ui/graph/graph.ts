import type { ObjectState } from '@chandlery/api';

/** A node of a graph. Its texts may be of tenants. */
export interface GraphNode {
  readonly id: string;
  readonly title: string;
  /** Below the title. Default: nothing. */
  readonly subtitle?: string;
  readonly state: ObjectState;
  /** What the state is called here. Default: the word of the state. */
  readonly word?: string;
  /** Default: the symbol of the state. */
  readonly symbol?: string;
}

/** From what comes first to what follows. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Default: neither good nor bad. */
  readonly state?: 'failed' | 'ready';
  /** Beside the edge. Default: nothing. */
  readonly label?: string;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  /** Edges of nodes that are not there are left out. */
  readonly edges: readonly GraphEdge[];
}
