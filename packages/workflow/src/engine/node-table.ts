import { displayNameOf, fnv64a, nodeIdOf } from '../document/node-ids.ts';
import type { Inputs } from '../document/parameters.ts';
import { plainValue } from '../template/inert.ts';
import type { TemplateHolder } from '../template/template-context.ts';
import { isFailed, isFulfilled, type NodeFlag, type NodePhase, type NodeStatus, type NodeType } from './node-status.ts';

export interface NewNode {
  readonly name: string;
  readonly type: NodeType;
  readonly phase: NodePhase;
  readonly message?: string | undefined;
  readonly holder?: TemplateHolder;
  readonly templateScope?: string;
  /** The name of the node of the steps or dag that the node is in. */
  readonly boundary?: string | undefined;
  readonly flag?: NodeFlag | undefined;
  readonly inputs?: Inputs | undefined;
}

/** A node that was created or changed, to be stored. */
export interface NodeChange {
  /** The node as it is now. Its list of children keeps growing; see `addedChildren`. */
  readonly node: NodeStatus;
  /** Ids of children that are new since the last change of the node. */
  readonly addedChildren: readonly string[];
}

/** Counts of the nodes directly in one boundary, for limits. */
export interface BoundaryCounts {
  activePods: number;
  activeChildren: number;
  unsuccessful: number;
}

const countedTypes: ReadonlySet<NodeType> = new Set(['Pod', 'Steps', 'DAG']);

/** All nodes of a workflow by name, with what changed since it was last asked. */
export class NodeTable {
  /** Nodes that were read or changed, a measure of the work done. */
  touches = 0;
  /** Nodes that do work, and those of them that did it. */
  executable = 0;
  succeeded = 0;
  activePods = 0;
  now = 0;
  readonly #workflow: string;
  readonly #byName = new Map<string, NodeStatus>();
  readonly #nameById = new Map<string, string>();
  readonly #children = new Map<string, Set<string>>();
  readonly #counts = new Map<string, BoundaryCounts>();
  readonly #changed = new Map<string, string[]>();

  constructor(workflow: string) {
    this.#workflow = workflow;
  }

  get(name: string): NodeStatus | undefined {
    this.touches++;
    return this.#byName.get(name);
  }

  byId(id: string): NodeStatus | undefined {
    const name = this.#nameById.get(id);
    return name === undefined ? undefined : this.get(name);
  }

  values(): Iterable<NodeStatus> {
    return this.#byName.values();
  }

  /** Takes over a node that was stored before. */
  load(stored: NodeStatus): void {
    const node = structuredClone(stored);
    this.#byName.set(node.name, node);
    this.#nameById.set(node.id, node.name);
    this.#children.set(node.name, new Set(node.children));
    this.#count(node, 1);
  }

  create(added: NewNode): NodeStatus {
    const boundary = added.boundary === undefined ? undefined : this.get(added.boundary);
    const startedAt = this.#time();
    const node: NodeStatus = {
      id: this.#newId(added.name),
      name: added.name,
      displayName: displayNameOf(added.name, added.boundary),
      type: added.type,
      phase: added.phase,
      startedAt,
    };
    const { template, templateRef } = added.holder ?? {};
    if (template !== undefined) node.templateName = template;
    if (templateRef !== undefined) node.templateRef = templateRef;
    if (added.templateScope !== undefined) node.templateScope = added.templateScope;
    if (boundary !== undefined) node.boundaryID = boundary.id;
    if (added.flag !== undefined) node.nodeFlag = added.flag;
    if (hasInputs(added.inputs)) node.inputs = plainValue(added.inputs);
    if (added.message !== undefined) node.message = plainValue(added.message);
    if (isFulfilled(node)) node.finishedAt = startedAt;
    if (hasProgress(node)) node.progress = node.phase === 'Succeeded' ? '1/1' : '0/1';
    this.#byName.set(node.name, node);
    this.#nameById.set(node.id, node.name);
    this.#count(node, 1);
    this.touch(node);
    return node;
  }

  /** Sets phase and message. An absent message leaves the one that is there. */
  mark(node: NodeStatus, phase: NodePhase, message?: string): void {
    this.#count(node, -1);
    node.phase = phase;
    this.#count(node, 1);
    if (message !== undefined) setMessage(node, plainValue(message));
    if (isFulfilled(node) && node.daemoned !== true) {
      node.finishedAt ??= this.#time();
      if (hasProgress(node) && phase === 'Succeeded') node.progress = '1/1';
    }
    this.touch(node);
  }

  /** Changes fields that counts depend on. */
  update(node: NodeStatus, change: (node: NodeStatus) => void): void {
    this.#count(node, -1);
    change(node);
    this.#count(node, 1);
    this.touch(node);
  }

  touch(node: NodeStatus): void {
    this.touches++;
    if (!this.#changed.has(node.name)) this.#changed.set(node.name, []);
  }

  addChild(parent: NodeStatus, child: NodeStatus): void {
    this.touches++;
    let known = this.#children.get(parent.name);
    if (known === undefined) this.#children.set(parent.name, (known = new Set()));
    if (known.has(child.id)) return;
    known.add(child.id);
    parent.children ??= [];
    parent.children.push(child.id);
    this.touch(parent);
    this.#changed.get(parent.name)?.push(child.id);
  }

  childrenOf(node: NodeStatus): NodeStatus[] {
    const children: NodeStatus[] = [];
    for (const id of node.children ?? []) {
      const child = this.byId(id);
      if (child !== undefined) children.push(child);
    }
    return children;
  }

  countsOf(boundary: string): BoundaryCounts {
    let counts = this.#counts.get(boundary);
    if (counts === undefined)
      this.#counts.set(boundary, (counts = { activePods: 0, activeChildren: 0, unsuccessful: 0 }));
    return counts;
  }

  takeChanges(): NodeChange[] {
    const changes: NodeChange[] = [];
    for (const [name, addedChildren] of this.#changed) {
      const node = this.#byName.get(name);
      if (node !== undefined) changes.push({ node, addedChildren });
    }
    this.#changed.clear();
    return changes;
  }

  boundaryOf(node: NodeStatus): string | undefined {
    return node.boundaryID === undefined ? undefined : this.#nameById.get(node.boundaryID);
  }

  /** Argo's id; one of 64 bits when another name has it already. */
  #newId(name: string): string {
    const id = nodeIdOf(this.#workflow, name);
    return this.#nameById.has(id) ? `${this.#workflow}-${fnv64a(name)}` : id;
  }

  #time(): string {
    return new Date(this.now).toISOString();
  }

  #count(node: NodeStatus, by: 1 | -1): void {
    if (hasProgress(node)) {
      this.executable += by;
      if (node.phase === 'Succeeded') this.succeeded += by;
    }
    if (!countedTypes.has(node.type)) return;
    const isActive = node.phase === 'Pending' || node.phase === 'Running';
    const isActivePod = isActive && node.type === 'Pod' && node.synchronizationStatus?.waiting === undefined;
    if (isActivePod) this.activePods += by;
    const boundary = this.boundaryOf(node);
    if (boundary === undefined) return;
    const counts = this.countsOf(boundary);
    if (isActive) counts.activeChildren += by;
    if (isActivePod) counts.activePods += by;
    if (isFailed(node)) counts.unsuccessful += by;
  }
}

const executableTypes: ReadonlySet<NodeType> = new Set(['Pod', 'Container', 'HTTP', 'Suspend']);

const hasProgress = ({ type }: NodeStatus): boolean => executableTypes.has(type);

function setMessage(node: NodeStatus, message: string): void {
  if (message === '') delete node.message;
  else node.message = message;
}

const hasInputs = (inputs: Inputs | undefined): inputs is Inputs =>
  (inputs?.parameters?.length ?? 0) > 0 || (inputs?.artifacts?.length ?? 0) > 0;
