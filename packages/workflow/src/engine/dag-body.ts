import type { DagTask } from '../document/template.ts';
import { messageOf } from '../errors.ts';
import { evaluateDepends, evaluateWhen } from '../expressions/index.ts';
import { plainText } from '../template/inert.ts';
import { layerScopes, type Scope } from '../template/scope.ts';
import { type Body, type BodyOptions, openNode } from './body.ts';
import { Call, type CallOwner } from './call.ts';
import { assessDag } from './dag-phase.ts';
import { planDag } from './dag-plan.ts';
import { continuesOn, newTaskState, type TaskChild, type TaskState } from './dag-task.ts';
import { exitHook, lifecycleHooks, NodeHooks } from './hooks.ts';
import { inputScope, resultReferences } from './inner-scope.ts';
import { expandLoop, isLoop } from './loop.ts';
import { isFailed, isFulfilled, type NodePhase, type NodeStatus, type NodeType } from './node-status.ts';
import { addAggregates, addSkippedValues, type NodeValues, nodeScope, valuesOfNode } from './node-values.ts';
import { outboundNodes } from './outbound.ts';
import { resolveCall } from './resolve-call.ts';
import type { CreateBody } from './retry-body.ts';
import { failFastMessage } from './steps-body.ts';
import { taskResults } from './task-results.ts';
import { templateOutputs } from './template-outputs.ts';

/** Executes tasks, each when those that it depends on are done. */
export class DagBody implements Body, CallOwner {
  readonly #options: BodyOptions;
  readonly #createBody: CreateBody;
  readonly #tasks = new Map<string, TaskState>();
  readonly #targets: readonly string[];
  readonly #children = new Map<string, { state: TaskState; child: TaskChild }>();
  readonly #isResultReferred: (name: string) => boolean;
  readonly #inputs: Scope;
  #openTasks: number;
  #isEnded = false;

  constructor(options: BodyOptions, createBody: CreateBody) {
    this.#options = options;
    this.#createBody = createBody;
    const { tasks, targets } = planDag(options.template.dag ?? { tasks: [] });
    for (const [name, planned] of tasks) {
      this.#tasks.set(name, newTaskState(planned, planned.dependencies.length));
    }
    for (const state of this.#tasks.values()) {
      for (const name of state.planned.dependencies) this.#tasks.get(name)?.dependents.push(state);
    }
    this.#targets = targets;
    this.#openTasks = tasks.size;
    this.#isResultReferred = resultReferences('tasks', options.template);
    this.#inputs = inputScope(options.template);
  }

  start(): void {
    const { core, name, template, owner } = this.#options;
    const node = openNode(this.#options, 'DAG', 'Running');
    if (node.phase === 'Pending') core.nodes.mark(node, 'Running', '');
    core.limits.open(name, template);
    core.enqueue(() => owner.bodyChanged(node));
    for (const state of this.#tasks.values()) if (state.open === 0) core.enqueue(() => this.#begin(state));
    if (this.#openTasks === 0) core.enqueue(() => this.#finish());
  }

  readonly childChanged = (call: Call): void => {
    const { core } = this.#options;
    const found = this.#children.get(call.name);
    const { node } = call;
    if (this.#isEnded || found === undefined || node === undefined) return;
    const { state, child } = found;
    this.#connect(state, node);
    if (this.#failFast()) return;
    if (child.isDone || !child.hooks.update(node) || this.#isEnded) return;
    child.isDone = true;
    if (isLoop(state.planned.task)) this.#loopChildDone(state);
    else core.enqueue(() => this.#taskDone(state));
  };

  readonly childErrored = (call: Call, message: string): void => {
    const { core } = this.#options;
    const { node } = call;
    if (node !== undefined) core.nodes.mark(node, 'Error', `task '${call.name}' errored: ${message}`);
    this.childChanged(call);
  };

  #nodeName(task: string): string {
    return `${this.#options.name}.${task}`;
  }

  #nodeOf({ planned }: TaskState): NodeStatus | undefined {
    return this.#options.core.nodes.get(this.#nodeName(planned.task.name));
  }

  /** Considers a task whose dependencies are all done. */
  #begin(state: TaskState): void {
    if (this.#isEnded || state.isDone) return;
    const { task } = state.planned;
    const node = this.#nodeOf(state);
    if (node !== undefined && isFulfilled(node) && node.daemoned !== true) {
      // A node that was taken over from another workflow has no parent yet.
      this.#link(state, node);
      return this.#resume(state, node);
    }
    try {
      if (node === undefined && !this.#isDue(state)) {
        return this.#skip(state, task.name, 'Omitted', 'omitted: depends condition not met');
      }
      if (state.unreadable !== undefined) throw new Error(state.unreadable);
      this.#execute(state, resolveCall(task, this.#scopeOf(state)));
    } catch (error) {
      this.#skip(state, task.name, 'Error', messageOf(error));
      if (state.unreadable !== undefined) this.#failTarget(state, state.unreadable);
    }
  }

  /** Values and hooks of targets are those of the DAG too: what is wrong with them ends it. */
  #failTarget({ planned }: TaskState, message: string): void {
    const { core, name } = this.#options;
    const node = core.nodes.get(name);
    if (node !== undefined && this.#targets.includes(planned.task.name)) this.#error(node, message);
  }

  /** Takes up a task that ended before the execution was stored: its hooks may not have. */
  #resume(state: TaskState, node: NodeStatus): void {
    state.hooks ??= this.#hooksOf(state, state.planned.task, true, () => this.#resume(state, node));
    if (!state.isDone && state.hooks.update(node)) this.#taskDone(state);
  }

  #isDue({ planned }: TaskState): boolean {
    const { core } = this.#options;
    if (planned.depends === undefined) return true;
    return evaluateDepends(planned.depends, name => taskResults(core, core.nodes.get(this.#nodeName(name))));
  }

  #execute(state: TaskState, task: DagTask): void {
    const executions = expandLoop(task, this.#scopeOf(state));
    if (!isLoop(state.planned.task)) return this.#executeOne(state, task, task.name);
    if (executions.length === 0) return this.#skip(state, task.name, 'Skipped', 'Skipped, empty params');
    const { core, name: boundary, context } = this.#options;
    const name = this.#nodeName(task.name);
    const group =
      core.nodes.get(name) ??
      core.nodes.create({
        ...holderOf(task),
        name,
        type: 'TaskGroup',
        phase: 'Running',
        templateScope: context.scope,
        boundary,
      });
    this.#link(state, group);
    state.openChildren = executions.length;
    state.hooks ??= this.#hooksOf(state, state.planned.task, true, () => this.#loopDone(state, group));
    state.hooks.update(group);
    core.spread(executions.map(execution => () => this.#executeItem(state, execution, task.name)));
  }

  /** Starts an item of a loop, perhaps some steps after the loop itself. */
  #executeItem(state: TaskState, item: DagTask, label: string): void {
    if (this.#isEnded) return;
    try {
      this.#executeOne(state, item, label);
    } catch (error) {
      this.#skip(state, item.name, 'Error', messageOf(error));
    }
  }

  #executeOne(state: TaskState, task: DagTask, label: string): void {
    const { core } = this.#options;
    const when = plainText(task.when ?? '');
    let skipped: readonly [phase: NodePhase, message: string] | undefined;
    try {
      if (!evaluateWhen(when)) skipped = ['Skipped', `when '${when}' evaluated false`];
    } catch (error) {
      skipped = ['Error', messageOf(error)];
    }
    if (skipped !== undefined) return this.#skip(state, task.name, ...skipped);
    const call = this.#callOf(task, label);
    const isItem = isLoop(state.planned.task);
    const hooks = this.#hooksOf(state, task, !isItem, () => core.enqueue(() => this.childChanged(call)));
    this.#children.set(call.name, { state, child: { call, hooks, isDone: false } });
    call.enter();
  }

  #callOf(task: DagTask, label: string): Call {
    const { core, name, context, isExitHandler, depth } = this.#options;
    return new Call({
      core,
      name: this.#nodeName(task.name),
      holder: { template: task.template, templateRef: task.templateRef, inline: task.inline },
      label: ['tasks.name', task.name],
      context,
      arguments: task.arguments ?? {},
      boundary: name,
      isExitHandler,
      depth: depth + 1,
      captureResult: this.#isResultReferred(label),
      owner: this,
      createBody: this.#createBody,
    });
  }

  #hooksOf(state: TaskState, task: DagTask, withLifecycle: boolean, changed: () => void): NodeHooks {
    const { core, name, context, depth } = this.#options;
    return new NodeHooks({
      core,
      hooks: withLifecycle ? lifecycleHooks(task) : {},
      exit: exitHook(task, core.spec.arguments),
      prefix: 'tasks',
      label: state.planned.task.name,
      scope: this.#scopeOf(state),
      context,
      boundary: name,
      depth,
      createBody: this.#createBody,
      changed,
      errored: message => this.#hookFailed(state, message),
    });
  }

  #hookFailed(state: TaskState, message: string): void {
    const { core } = this.#options;
    const node = this.#nodeOf(state);
    if (node === undefined) return;
    core.nodes.mark(node, 'Error', message);
    core.enqueue(() => this.#taskDone(state));
    this.#failTarget(state, message);
  }

  /** Makes a node for a task, or an item of its loop, that is not executed. */
  #skip(state: TaskState, taskName: string, phase: NodePhase, message: string): void {
    const { core, name: boundary, context } = this.#options;
    const { task } = state.planned;
    const name = this.#nodeName(taskName);
    const type: NodeType = 'Skipped';
    const fields = { ...holderOf(task), name, type, phase, message, templateScope: context.scope, boundary };
    const node = core.nodes.get(name) ?? core.nodes.create(fields);
    if (!isFulfilled(node)) core.nodes.mark(node, phase, message);
    if (taskName !== task.name) {
      this.#connect(state, node);
      return this.#loopChildDone(state);
    }
    this.#link(state, node);
    core.enqueue(() => this.#resume(state, node));
  }

  #connect(state: TaskState, node: NodeStatus): void {
    const group = isLoop(state.planned.task) ? this.#nodeOf(state) : undefined;
    if (group === undefined || group === node) this.#link(state, node);
    else this.#options.core.nodes.addChild(group, node);
  }

  /** Puts a node below the last nodes of the tasks that it depends on. */
  #link({ planned }: TaskState, node: NodeStatus): void {
    const { core, name } = this.#options;
    const dag = core.nodes.get(name);
    if (planned.dependencies.length === 0 && dag !== undefined) return core.nodes.addChild(dag, node);
    for (const dependency of planned.dependencies) {
      const before = core.nodes.get(this.#nodeName(dependency));
      if (before === undefined) continue;
      for (const outbound of outboundNodes(core, before)) core.nodes.addChild(outbound, node);
    }
  }

  #loopChildDone(state: TaskState): void {
    state.openChildren--;
    const group = this.#nodeOf(state);
    if (group !== undefined) this.#loopDone(state, group);
  }

  #loopDone(state: TaskState, group: NodeStatus): void {
    const { core } = this.#options;
    if (this.#isEnded || state.isDone || state.openChildren > 0) return;
    if (!isFulfilled(group)) {
      const failed = core.nodes.childrenOf(group).findLast(child => isFailed(child) && child.nodeFlag?.hooked !== true);
      core.nodes.mark(group, failed?.phase ?? 'Succeeded');
    }
    if (state.hooks?.update(group) !== false) core.enqueue(() => this.#taskDone(state));
  }

  #taskDone(state: TaskState): void {
    const { core } = this.#options;
    if (this.#isEnded || state.isDone) return;
    state.isDone = true;
    this.#openTasks--;
    this.#readValues(state);
    for (const dependent of state.dependents) {
      dependent.unreadable ??= state.unreadable;
      dependent.open--;
      if (dependent.open === 0) core.enqueue(() => this.#begin(dependent));
    }
    if (this.#openTasks === 0) core.enqueue(() => this.#finish());
  }

  #readValues(state: TaskState): void {
    const { core, context } = this.#options;
    const { task } = state.planned;
    const node = this.#nodeOf(state);
    if (node === undefined) return;
    const values: NodeValues = valuesOfNode(core, node);
    state.values = values;
    try {
      if (node.type === 'TaskGroup') addAggregates(core, values, this.#itemsOf(node));
      addSkippedValues(values, node, core.templates.resolve(task, context).template, false);
    } catch (error) {
      state.unreadable = messageOf(error);
    }
  }

  #itemsOf(group: NodeStatus): NodeStatus[] {
    return this.#options.core.nodes.childrenOf(group).filter(child => child.nodeFlag?.hooked !== true);
  }

  /** What a task may refer to: the tasks before it, the inputs of the dag, the workflow. */
  #scopeOf(state: TaskState): Scope {
    const ancestors = nodeScope(
      'tasks',
      () => this.#ancestorsOf(state),
      name => (this.#ancestorsOf(state).has(name) ? this.#tasks.get(name)?.values : undefined),
    );
    return layerScopes(ancestors, this.#inputs, this.#options.core.scope);
  }

  #ancestorsOf(state: TaskState): ReadonlySet<string> {
    if (state.ancestors !== undefined) return state.ancestors;
    const found = new Set<string>();
    const pending = [...state.planned.dependencies];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (found.has(name)) continue;
      found.add(name);
      pending.push(...(this.#tasks.get(name)?.planned.dependencies ?? []));
    }
    state.ancestors = found;
    return found;
  }

  #failFast(): boolean {
    const { core, name } = this.#options;
    if (!core.limits.isFailedFast(name)) return false;
    this.#end('Failed', failFastMessage);
    return true;
  }

  readonly #finish = (): void => {
    const { core, name, isExitHandler } = this.#options;
    const node = core.nodes.get(name);
    if (node === undefined || this.#isEnded) return;
    const isStopped = core.shutdown !== undefined && !isExitHandler;
    const phase = isStopped
      ? 'Failed'
      : assessDag(
          core,
          node,
          this.#targets.map(target => this.#targetOf(target)),
        );
    if (phase === 'Running') {
      core.idleChecks.add(this.#finish);
      return;
    }
    core.idleChecks.delete(this.#finish);
    if (phase === 'Succeeded') this.#succeed(node);
    else this.#end(phase, undefined);
  };

  #targetOf(name: string) {
    const state = this.#tasks.get(name);
    return {
      node: state === undefined ? undefined : this.#nodeOf(state),
      isTolerated: (phase: NodePhase): boolean => state !== undefined && continuesOn(state.planned.task, phase),
    };
  }

  #succeed(node: NodeStatus): void {
    const { core, template } = this.#options;
    try {
      const unreadable = [...this.#tasks.values()].find(state => state.unreadable !== undefined);
      if (unreadable !== undefined) throw new Error(unreadable.unreadable);
      const tasks = nodeScope(
        'tasks',
        () => this.#tasks.keys(),
        name => this.#tasks.get(name)?.values,
      );
      const outputs = templateOutputs(template, layerScopes(tasks, this.#inputs, core.scope));
      if (outputs !== undefined) node.outputs = outputs;
      // As Argo does: a DAG exports the outputs of its tasks, and its own only by way of a DAG around it.
      for (const state of this.#tasks.values()) core.exportOutputs(this.#nodeOf(state)?.outputs);
    } catch (error) {
      return this.#error(node, messageOf(error));
    }
    this.#end('Succeeded', undefined);
  }

  #end(phase: NodePhase, message: string | undefined): void {
    const { core, name, owner } = this.#options;
    const node = core.nodes.get(name);
    if (node === undefined) return;
    this.#close(node);
    core.nodes.mark(node, phase, message);
    core.enqueue(() => owner.bodyChanged(node));
  }

  #error(node: NodeStatus, message: string): void {
    const { core, owner } = this.#options;
    this.#close(node);
    core.nodes.mark(node, 'Error', message);
    core.enqueue(() => owner.bodyErrored(node, message));
  }

  #close(node: NodeStatus): void {
    const { core, name } = this.#options;
    this.#isEnded = true;
    const targets = this.#targets.map(target => core.nodes.get(this.#nodeName(target)));
    const outbound = targets.flatMap(target => (target === undefined ? [] : outboundNodes(core, target)));
    node.outboundNodes = outbound.map(({ id }) => id);
    core.stopDaemons(name);
  }
}

const holderOf = ({ template, templateRef }: DagTask) => ({ holder: { template, templateRef } });
