import type { DagTask } from '../document/template.ts';
import { messageOf } from '../errors.ts';
import type { Call } from './call.ts';
import type { CallOwner } from './call-options.ts';
import type { TaskState } from './dag-task.ts';
import type { DagTasks } from './dag-tasks.ts';
import type { NodeHooks } from './hooks.ts';
import { createCall, createHooks, type InnerCalls, openSkippedNode, type Skipped, skippedBy } from './inner-call.ts';
import { expandLoop, isLoop } from './loop.ts';
import { isFailed, isFulfilled, type NodeStatus } from './node-status.ts';
import { resolveCall } from './resolve-call.ts';

/** The DAG around a task. */
export interface TaskOwner {
  readonly isEnded: boolean;
  /** Ends the DAG if a failure of one of its tasks does. Returns whether it did. */
  failFast(): boolean;
  taskDone(state: TaskState): void;
  /** Values and hooks of targets are those of the DAG too: what is wrong with them ends it. */
  taskErrored(state: TaskState, message: string): void;
}

/** One execution of a task: the task itself, or one item of its loop. */
interface TaskChild {
  readonly call: Call;
  readonly hooks: NodeHooks;
  isDone: boolean;
}

export interface TaskDeps {
  readonly tasks: DagTasks;
  readonly inner: InnerCalls;
  readonly owner: TaskOwner;
}

/** Executes one task of a DAG, or each item of its loop. */
export class TaskExecution implements CallOwner {
  readonly #state: TaskState;
  readonly #deps: TaskDeps;
  readonly #isLoop: boolean;
  readonly #children = new Map<string, TaskChild>();
  #hooks: NodeHooks | undefined;
  /** Items of the loop that are not done. */
  #openItems = 0;

  constructor(state: TaskState, deps: TaskDeps) {
    this.#state = state;
    this.#deps = deps;
    this.#isLoop = isLoop(state.planned.task);
  }

  /** Considers the task, now that those that it depends on are all done. */
  begin(): void {
    const { tasks, owner } = this.#deps;
    const state = this.#state;
    if (owner.isEnded || state.isDone) return;
    const { task } = state.planned;
    const node = tasks.nodeOf(state);
    if (node !== undefined && isFulfilled(node) && node.daemoned !== true) {
      // A node that was taken over from another workflow has no parent yet.
      tasks.link(state, node);
      return this.#resume(node);
    }
    try {
      if (node === undefined && !tasks.isDue(state)) return this.#skip(task.name, omitted);
      if (state.unreadable !== undefined) throw new Error(state.unreadable);
      this.#execute(resolveCall(task, tasks.scopeOf(state)));
    } catch (error) {
      this.#skip(task.name, { phase: 'Error', message: messageOf(error) });
      if (state.unreadable !== undefined) owner.taskErrored(state, state.unreadable);
    }
  }

  readonly childChanged = (call: Call): void => {
    const { inner, owner } = this.#deps;
    const child = this.#children.get(call.name);
    const { node } = call;
    if (owner.isEnded || child === undefined || node === undefined) return;
    this.#connect(node);
    if (owner.failFast()) return;
    if (child.isDone || !child.hooks.update(node) || owner.isEnded) return;
    child.isDone = true;
    if (this.#isLoop) this.#itemDone();
    else inner.options.core.enqueue(() => owner.taskDone(this.#state));
  };

  readonly childErrored = (call: Call, message: string): void => {
    const { core } = this.#deps.inner.options;
    const { node } = call;
    if (node !== undefined) core.nodes.mark(node, 'Error', `task '${call.name}' errored: ${message}`);
    this.childChanged(call);
  };

  /** Takes up a task that ended before the execution was stored: its hooks may not have. */
  #resume(node: NodeStatus): void {
    this.#hooks ??= this.#createHooks(this.#state.planned.task, true, () => this.#resume(node));
    if (!this.#state.isDone && this.#hooks.update(node)) this.#deps.owner.taskDone(this.#state);
  }

  #execute(task: DagTask): void {
    const { tasks, inner } = this.#deps;
    const items = expandLoop(task, tasks.scopeOf(this.#state));
    if (!this.#isLoop) return this.#executeOne(task, task.name);
    if (items.length === 0) return this.#skip(task.name, noItems);
    const group = this.#openGroup(task);
    tasks.link(this.#state, group);
    this.#openItems = items.length;
    this.#hooks ??= this.#createHooks(this.#state.planned.task, true, () => this.#loopDone(group));
    this.#hooks.update(group);
    inner.options.core.spread(items.map(item => () => this.#executeItem(item, task.name)));
  }

  #openGroup({ name: taskName, template, templateRef }: DagTask): NodeStatus {
    const { core, name: boundary, context } = this.#deps.inner.options;
    const name = this.#deps.tasks.nodeName(taskName);
    const fields = { name, holder: { template, templateRef }, templateScope: context.scope, boundary };
    return core.nodes.get(name) ?? core.nodes.create({ ...fields, type: 'TaskGroup', phase: 'Running' });
  }

  /** Starts an item of a loop, perhaps some steps after the loop itself. */
  #executeItem(item: DagTask, label: string): void {
    if (this.#deps.owner.isEnded) return;
    try {
      this.#executeOne(item, label);
    } catch (error) {
      this.#skip(item.name, { phase: 'Error', message: messageOf(error) });
    }
  }

  #executeOne(task: DagTask, label: string): void {
    const { tasks, inner } = this.#deps;
    const skipped = skippedBy(task.when);
    if (skipped !== undefined) return this.#skip(task.name, skipped);
    const call = createCall(inner, { call: task, nodeName: tasks.nodeName(task.name), label }, this);
    const changed = (): void => inner.options.core.enqueue(() => this.childChanged(call));
    const hooks = this.#createHooks(task, !this.#isLoop, changed);
    this.#children.set(call.name, { call, hooks, isDone: false });
    call.enter();
  }

  #createHooks(task: DagTask, withLifecycle: boolean, changed: () => void): NodeHooks {
    const { tasks, inner } = this.#deps;
    const label = this.#state.planned.task.name;
    const scope = tasks.scopeOf(this.#state);
    const errored = (message: string): void => this.#hookFailed(message);
    return createHooks(inner, { call: task, label, scope, withLifecycle, changed, errored });
  }

  #hookFailed(message: string): void {
    const { tasks, inner, owner } = this.#deps;
    const { core } = inner.options;
    const node = tasks.nodeOf(this.#state);
    if (node === undefined) return;
    core.nodes.mark(node, 'Error', message);
    core.enqueue(() => owner.taskDone(this.#state));
    owner.taskErrored(this.#state, message);
  }

  /** Makes a node for the task, or an item of its loop, that is not executed. */
  #skip(name: string, skipped: Skipped): void {
    const { tasks, inner } = this.#deps;
    const { core } = inner.options;
    const { task } = this.#state.planned;
    const node = openSkippedNode(inner.options, tasks.nodeName(name), task, skipped);
    if (!isFulfilled(node)) core.nodes.mark(node, skipped.phase, skipped.message);
    if (name !== task.name) {
      this.#connect(node);
      return this.#itemDone();
    }
    tasks.link(this.#state, node);
    core.enqueue(() => this.#resume(node));
  }

  #connect(node: NodeStatus): void {
    const { tasks, inner } = this.#deps;
    const group = this.#isLoop ? tasks.nodeOf(this.#state) : undefined;
    if (group === undefined || group === node) tasks.link(this.#state, node);
    else inner.options.core.nodes.addChild(group, node);
  }

  #itemDone(): void {
    this.#openItems--;
    const group = this.#deps.tasks.nodeOf(this.#state);
    if (group !== undefined) this.#loopDone(group);
  }

  #loopDone(group: NodeStatus): void {
    const { inner, owner } = this.#deps;
    const { core } = inner.options;
    if (owner.isEnded || this.#state.isDone || this.#openItems > 0) return;
    if (!isFulfilled(group)) {
      const failed = core.nodes.childrenOf(group).findLast(child => isFailed(child) && child.nodeFlag?.hooked !== true);
      core.nodes.mark(group, failed?.phase ?? 'Succeeded');
    }
    if (this.#hooks?.update(group) !== false) core.enqueue(() => owner.taskDone(this.#state));
  }
}

const omitted: Skipped = { phase: 'Omitted', message: 'omitted: depends condition not met' };
const noItems: Skipped = { phase: 'Skipped', message: 'Skipped, empty params' };
