import type { NodeStatus } from '../engine/node-status.ts';

/** The nodes of a workflow with their relations. */
export class NodeGraph {
  readonly nodes: readonly NodeStatus[];
  readonly root: NodeStatus | undefined;
  readonly #byName: ReadonlyMap<string, NodeStatus>;
  readonly #byId: ReadonlyMap<string, NodeStatus>;
  readonly #parents = new Map<string, NodeStatus>();

  constructor(nodes: readonly NodeStatus[]) {
    this.nodes = nodes;
    this.#byName = new Map(nodes.map(node => [node.name, node]));
    this.#byId = new Map(nodes.map(node => [node.id, node]));
    for (const node of [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      for (const child of this.childrenOf(node)) this.#parents.set(child.name, node);
    }
    this.root = nodes.find(({ id, name }) => id === name);
  }

  get(name: string): NodeStatus | undefined {
    return this.#byName.get(name);
  }

  /** All nodes below the root, level by level; exit handlers of the workflow are not. */
  fromTop(): NodeStatus[] {
    const found = new Set(this.root === undefined ? [] : [this.root]);
    for (const node of found) for (const child of this.childrenOf(node)) found.add(child);
    return [...found];
  }

  childrenOf({ children = [] }: NodeStatus): NodeStatus[] {
    return children.map(id => this.#byId.get(id)).filter(child => child !== undefined);
  }

  /** Whether something after a node succeeded, so that its failure was dealt with. Hooks do not count. */
  isHandled(node: NodeStatus): boolean {
    const seen = new Set<string>();
    const pending = this.#after(this.#retryOf(node) ?? node);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (seen.has(next.name)) continue;
      seen.add(next.name);
      if (next.phase === 'Succeeded') return true;
      pending.push(...this.#after(next));
    }
    return false;
  }

  #after(node: NodeStatus): NodeStatus[] {
    return this.childrenOf(node).filter(child => child.nodeFlag?.hooked !== true);
  }

  /** The names of everything that follows a node or is within it. */
  followersOf(node: NodeStatus): Set<string> {
    const found = new Set<string>();
    const pending = this.childrenOf(node);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (found.has(next.name)) continue;
      found.add(next.name);
      pending.push(...this.childrenOf(next));
    }
    return found;
  }

  /** The node above; of several the one with the last id. */
  parentOf({ name }: NodeStatus): NodeStatus | undefined {
    return this.#parents.get(name);
  }

  /** The template that a node is in. */
  boundaryOf({ boundaryID }: NodeStatus): NodeStatus | undefined {
    return boundaryID === undefined ? undefined : this.#byId.get(boundaryID);
  }

  /** Whether a node is within an attempt that was followed by another one. */
  isSuperseded(node: NodeStatus): boolean {
    for (let at = this.boundaryOf(node); at !== undefined; at = this.boundaryOf(at)) {
      const retry = this.#retryOf(at);
      if (retry !== undefined && this.#after(retry).at(-1) !== at) return true;
    }
    return false;
  }

  /** The Retry node of an attempt. */
  #retryOf(node: NodeStatus): NodeStatus | undefined {
    if (node.nodeFlag?.retried !== true) return undefined;
    const retry = this.get(node.name.replace(/\(\d+\)$/, ''));
    return retry?.type === 'Retry' ? retry : undefined;
  }
}
