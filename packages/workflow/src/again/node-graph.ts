import type { NodeStatus, NodeType } from '../engine/node-status.ts';

const leafTypes: ReadonlySet<NodeType> = new Set(['Pod', 'HTTP', 'Suspend', 'Container']);

/** The nodes of a workflow with their relations. */
export class NodeGraph {
  readonly nodes: readonly NodeStatus[];
  readonly root: NodeStatus | undefined;
  readonly #byName: ReadonlyMap<string, NodeStatus>;
  readonly #byId: ReadonlyMap<string, NodeStatus>;
  readonly #parents = new Map<string, NodeStatus[]>();

  constructor(nodes: readonly NodeStatus[]) {
    this.nodes = nodes;
    this.#byName = new Map(nodes.map(node => [node.name, node]));
    this.#byId = new Map(nodes.map(node => [node.id, node]));
    for (const node of nodes) {
      for (const child of this.childrenOf(node)) {
        const parents = this.#parents.get(child.name);
        if (parents === undefined) this.#parents.set(child.name, [node]);
        else parents.push(node);
      }
    }
    this.root = nodes.find(({ id, name }) => id === name);
  }

  get(name: string): NodeStatus | undefined {
    return this.#byName.get(name);
  }

  childrenOf({ children = [] }: NodeStatus): NodeStatus[] {
    return children.map(id => this.#byId.get(id)).filter(child => child !== undefined);
  }

  /** Whether something after a node succeeded, so that its failure was dealt with. Hooks do not count. */
  isHandled(node: NodeStatus): boolean {
    const seen = new Set<string>();
    const pending = this.#after(node);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (seen.has(next.name)) continue;
      seen.add(next.name);
      if (next.phase === 'Succeeded' && leafTypes.has(next.type)) return true;
      pending.push(...this.#after(next));
    }
    return false;
  }

  #after(node: NodeStatus): NodeStatus[] {
    return this.childrenOf(node).filter(child => child.nodeFlag?.hooked !== true && child.nodeFlag?.retried !== true);
  }

  /** The names of some nodes, of their attempts, and of everything that follows them or is within them. */
  withFollowers(nodes: readonly NodeStatus[]): Set<string> {
    const found = new Set<string>();
    const pending = nodes.map(node => this.#retryOf(node) ?? node);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (found.has(next.name)) continue;
      found.add(next.name);
      pending.push(...this.childrenOf(next));
    }
    return found;
  }

  /** The Retry node of an attempt of a leaf. */
  #retryOf(node: NodeStatus): NodeStatus | undefined {
    if (node.nodeFlag?.retried !== true || !leafTypes.has(node.type)) return undefined;
    return this.#parents.get(node.name)?.find(({ type }) => type === 'Retry');
  }

  /** The names of the templates, groups and loops that a node is in. */
  around(name: string): string[] {
    const names: string[] = [];
    const node = this.get(name);
    if (node === undefined) return names;
    for (const parent of this.#parents.get(name) ?? []) if (isGroup(parent)) names.push(parent.name);
    for (let at = this.#boundaryOf(node); at !== undefined; at = this.#boundaryOf(at)) {
      names.push(at.name);
      for (const parent of this.#parents.get(at.name) ?? []) if (isGroup(parent)) names.push(parent.name);
    }
    return names;
  }

  #boundaryOf({ boundaryID }: NodeStatus): NodeStatus | undefined {
    return boundaryID === undefined ? undefined : this.#byId.get(boundaryID);
  }
}

const isGroup = ({ type }: NodeStatus): boolean => type === 'StepGroup' || type === 'TaskGroup' || type === 'Retry';
