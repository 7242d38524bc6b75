import { messageOf } from '../errors.ts';
import { evaluateDepends } from '../expressions/index.ts';
import { layerScopes, type Scope } from '../template/scope.ts';
import type { BodyOptions } from './body.ts';
import type { DagTarget } from './dag-phase.ts';
import { planDag } from './dag-plan.ts';
import { newTaskState, type TaskState } from './dag-task.ts';
import { continuesOn } from './inner-call.ts';
import { inputScope } from './inner-scope.ts';
import type { NodeStatus } from './node-status.ts';
import { addAggregates, addSkippedValues, nodeScope, valuesOfNode } from './node-values.ts';
import { outboundNodes } from './outbound.ts';
import { taskResults } from './task-results.ts';

/** The tasks of a DAG: their nodes, what they depend on, and what can be read of them. */
export class DagTasks {
  readonly all: ReadonlyMap<string, TaskState>;
  readonly #options: BodyOptions;
  readonly #targets: readonly string[];
  readonly #inputs: Scope;

  constructor(options: BodyOptions) {
    this.#options = options;
    const { tasks, targets } = planDag(options.template.dag ?? { tasks: [] });
    this.all = new Map([...tasks].map(([name, task]) => [name, newTaskState(task, task.dependencies.length)]));
    for (const state of this.all.values()) {
      for (const name of state.planned.dependencies) this.all.get(name)?.dependents.push(state);
    }
    this.#targets = targets;
    this.#inputs = inputScope(options.template);
  }

  nodeName(task: string): string {
    return `${this.#options.name}.${task}`;
  }

  nodeOf({ planned }: TaskState): NodeStatus | undefined {
    return this.#options.core.nodes.get(this.nodeName(planned.task.name));
  }

  isTarget({ planned }: TaskState): boolean {
    return this.#targets.includes(planned.task.name);
  }

  /** Whether the results of the tasks before it are those that a task waits for. */
  isDue({ planned }: TaskState): boolean {
    const { core } = this.#options;
    if (planned.depends === undefined) return true;
    return evaluateDepends(planned.depends, name => taskResults(core, core.nodes.get(this.nodeName(name))));
  }

  /** Puts a node below the last nodes of the tasks that its task depends on. */
  link({ planned }: TaskState, node: NodeStatus): void {
    const { core, name } = this.#options;
    const dag = core.nodes.get(name);
    if (planned.dependencies.length === 0 && dag !== undefined) return core.nodes.addChild(dag, node);
    for (const dependency of planned.dependencies) {
      const before = core.nodes.get(this.nodeName(dependency));
      if (before === undefined) continue;
      for (const outbound of outboundNodes(core, before)) core.nodes.addChild(outbound, node);
    }
  }

  /** Reads what others may refer to of a task that is done. */
  readValues(state: TaskState): void {
    const { core, context } = this.#options;
    const node = this.nodeOf(state);
    if (node === undefined) return;
    const values = valuesOfNode(core, node);
    state.values = values;
    try {
      if (node.type === 'TaskGroup') addAggregates(core, values, itemsOf(core.nodes.childrenOf(node)));
      addSkippedValues(values, node, core.templates.resolve(state.planned.task, context).template, false);
    } catch (error) {
      state.unreadable = messageOf(error);
    }
  }

  /** What a task may refer to: the tasks before it, the inputs of the DAG, the workflow. */
  scopeOf(state: TaskState): Scope {
    const ancestors = nodeScope(
      'tasks',
      () => this.#ancestorsOf(state),
      name => (this.#ancestorsOf(state).has(name) ? this.all.get(name)?.values : undefined),
    );
    return layerScopes(ancestors, this.#inputs, this.#options.core.scope);
  }

  /** What the outputs of the DAG may refer to. */
  outputScope(): Scope {
    const tasks = nodeScope(
      'tasks',
      () => this.all.keys(),
      name => this.all.get(name)?.values,
    );
    return layerScopes(tasks, this.#inputs, this.#options.core.scope);
  }

  /** The tasks whose phases are that of the DAG. */
  targets(): readonly DagTarget[] {
    return this.#targets.map(name => {
      const state = this.all.get(name);
      return {
        node: state === undefined ? undefined : this.nodeOf(state),
        isTolerated: phase => state !== undefined && continuesOn(state.planned.task, phase),
      };
    });
  }

  /** The last nodes of the DAG. */
  outbound(): NodeStatus[] {
    const { core } = this.#options;
    const nodes = this.#targets.map(target => core.nodes.get(this.nodeName(target)));
    return nodes.flatMap(node => (node === undefined ? [] : outboundNodes(core, node)));
  }

  #ancestorsOf(state: TaskState): ReadonlySet<string> {
    if (state.ancestors !== undefined) return state.ancestors;
    const found = new Set<string>();
    const pending = [...state.planned.dependencies];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (found.has(name)) continue;
      found.add(name);
      pending.push(...(this.all.get(name)?.planned.dependencies ?? []));
    }
    state.ancestors = found;
    return found;
  }
}

const itemsOf = (children: readonly NodeStatus[]): NodeStatus[] =>
  children.filter(({ nodeFlag }) => nodeFlag?.hooked !== true);
