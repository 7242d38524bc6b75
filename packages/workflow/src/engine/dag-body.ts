import { messageOf } from '../errors.ts';
import { type Body, type BodyOptions, openNode } from './body.ts';
import { assessDag } from './dag-phase.ts';
import type { TaskState } from './dag-task.ts';
import { DagTasks } from './dag-tasks.ts';
import { type BodyEnd, endBody, errored } from './end-body.ts';
import { failFastMessage, innerCalls } from './inner-call.ts';
import type { NodeStatus } from './node-status.ts';
import type { CreateBody } from './retry-body.ts';
import { TaskExecution, type TaskOwner } from './task-execution.ts';
import { templateOutputs } from './template-outputs.ts';

/** Executes tasks, each when those that it depends on are done. */
export class DagBody implements Body, TaskOwner {
  readonly #options: BodyOptions;
  readonly #tasks: DagTasks;
  readonly #executions: ReadonlyMap<TaskState, TaskExecution>;
  #openTasks: number;
  #isEnded = false;

  constructor(options: BodyOptions, createBody: CreateBody) {
    this.#options = options;
    this.#tasks = new DagTasks(options);
    this.#openTasks = this.#tasks.all.size;
    const deps = { tasks: this.#tasks, inner: innerCalls('tasks', options, createBody), owner: this };
    this.#executions = new Map([...this.#tasks.all.values()].map(state => [state, new TaskExecution(state, deps)]));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  start(): void {
    const { core, name, template, owner } = this.#options;
    const node = openNode(this.#options, 'DAG', 'Running');
    if (node.phase === 'Pending') core.nodes.mark(node, 'Running', '');
    core.limits.open(name, template);
    core.enqueue(() => owner.bodyChanged(node));
    for (const state of this.#tasks.all.values()) if (state.open === 0) this.#begin(state);
    if (this.#openTasks === 0) core.enqueue(this.#finish);
  }

  failFast(): boolean {
    const { core, name } = this.#options;
    if (!core.limits.isFailedFast(name)) return false;
    this.#end({ phase: 'Failed', message: failFastMessage });
    return true;
  }

  taskDone(state: TaskState): void {
    if (this.#isEnded || state.isDone) return;
    state.isDone = true;
    this.#openTasks--;
    this.#tasks.readValues(state);
    for (const dependent of state.dependents) {
      dependent.unreadable ??= state.unreadable;
      dependent.open--;
      if (dependent.open === 0) this.#begin(dependent);
    }
    if (this.#openTasks === 0) this.#options.core.enqueue(this.#finish);
  }

  taskErrored(state: TaskState, message: string): void {
    if (this.#tasks.isTarget(state)) this.#end(errored(message));
  }

  #begin(state: TaskState): void {
    this.#options.core.enqueue(() => this.#executions.get(state)?.begin());
  }

  readonly #finish = (): void => {
    const { core, name, isExitHandler } = this.#options;
    const node = core.nodes.get(name);
    if (node === undefined || this.#isEnded) return;
    const isStopped = core.shutdown !== undefined && !isExitHandler;
    const phase = isStopped ? 'Failed' : assessDag(core, node, this.#tasks.targets());
    if (phase === 'Running') {
      core.idleChecks.add(this.#finish);
      return;
    }
    core.idleChecks.delete(this.#finish);
    this.#end(phase === 'Succeeded' ? this.#succeed(node) : { phase, message: undefined });
  };

  #succeed(node: NodeStatus): BodyEnd {
    const { core, template } = this.#options;
    const states = [...this.#tasks.all.values()];
    try {
      const unreadable = states.find(state => state.unreadable !== undefined);
      if (unreadable !== undefined) throw new Error(unreadable.unreadable);
      const outputs = templateOutputs(template, this.#tasks.outputScope());
      if (outputs !== undefined) node.outputs = outputs;
      // As Argo does: a DAG exports the outputs of its tasks, and its own only by way of a DAG around it.
      for (const state of states) core.exportOutputs(this.#tasks.nodeOf(state)?.outputs);
    } catch (error) {
      return errored(messageOf(error));
    }
    return { phase: 'Succeeded', message: undefined };
  }

  #end(end: BodyEnd): void {
    this.#isEnded = true;
    endBody(this.#options, this.#tasks.outbound(), end);
  }
}
