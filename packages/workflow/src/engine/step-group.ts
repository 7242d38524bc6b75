import type { WorkflowStep } from '../document/template.ts';
import { messageOf } from '../errors.ts';
import type { Scope } from '../template/scope.ts';
import type { Call } from './call.ts';
import type { CallOwner } from './call-options.ts';
import type { NodeHooks } from './hooks.ts';
import {
  continuesOn,
  createCall,
  createHooks,
  failFastMessage,
  type InnerCalls,
  openSkippedNode,
  type Skipped,
  skippedBy,
} from './inner-call.ts';
import { expandLoop } from './loop.ts';
import { isFailed, isTimedOut, type NodePhase, type NodeStatus, timeoutMessage } from './node-status.ts';
import { resolveCall, resolveStepArtifacts } from './resolve-call.ts';

/** The steps around a group. */
export interface GroupOwner {
  readonly isEnded: boolean;
  isCurrent(group: StepGroup): boolean;
  groupEnded(node: NodeStatus): void;
}

export interface GroupDeps {
  readonly inner: InnerCalls;
  /** What its steps may refer to. */
  readonly scope: Scope;
  readonly owner: GroupOwner;
}

/** One execution of a step: the step itself, or one item of its loop. */
interface StepChild {
  readonly step: WorkflowStep;
  readonly hooks: NodeHooks;
  isDone: boolean;
}

/** Executes one group of steps, all at once. */
export class StepGroup implements CallOwner {
  readonly #name: string;
  readonly #deps: GroupDeps;
  readonly #children = new Map<string, StepChild>();
  #open = 0;
  #isStarting = false;

  constructor(index: number, deps: GroupDeps) {
    this.#name = `${deps.inner.options.name}[${index}]`;
    this.#deps = deps;
  }

  /** The node of the group: the stored one, or a new one. */
  get node(): NodeStatus {
    const { core, name: boundary, context } = this.#deps.inner.options;
    const fields = { name: this.#name, templateScope: context.scope, boundary };
    return core.nodes.get(this.#name) ?? core.nodes.create({ ...fields, type: 'StepGroup', phase: 'Running' });
  }

  start(steps: readonly WorkflowStep[]): void {
    try {
      this.#startAll(steps);
    } catch (error) {
      this.#fail('Error', messageOf(error));
    }
  }

  readonly childChanged = (call: Call): void => {
    const { inner } = this.#deps;
    const child = this.#children.get(call.name);
    const { node } = call;
    if (this.#isOver || child === undefined || node === undefined) return;
    inner.options.core.nodes.addChild(this.node, node);
    if (this.#failFast()) return;
    if (child.isDone || !child.hooks.update(node) || this.#isOver) return;
    child.isDone = true;
    this.#open--;
    this.#finishIfDone();
  };

  readonly childErrored = (call: Call, message: string): void => {
    if (this.#isOver || !this.#children.has(call.name)) return;
    if (call.node !== undefined) this.#deps.inner.options.core.nodes.addChild(this.node, call.node);
    this.#fail('Error', `step group deemed errored due to child ${call.name} error: ${message}`);
  };

  /** Whether what happens to its steps does not count any more. */
  get #isOver(): boolean {
    const { owner } = this.#deps;
    return owner.isEnded || !owner.isCurrent(this);
  }

  #startAll(steps: readonly WorkflowStep[]): void {
    const { inner, scope } = this.#deps;
    const resolved = steps.map(step => resolveStep(step, scope));
    const expanded = resolved.map(step => ({ step, items: expandLoop(step, scope) }));
    this.#isStarting = true;
    const starts = expanded.flatMap(({ step, items }) =>
      items.length === 0
        ? [() => this.#skip(step, noItems)]
        : items.map(item => () => this.#startStep(item, step.name)),
    );
    inner.options.core.spread([...starts.map(start => () => this.#startOne(start)), () => this.#endStarting()]);
  }

  /** Starts a step, perhaps some steps of the execution after its group. */
  #startOne(start: () => void): void {
    if (this.#isOver || !this.#isStarting) return;
    try {
      start();
    } catch (error) {
      this.#isStarting = false;
      this.#fail('Error', messageOf(error));
    }
  }

  #endStarting(): void {
    if (this.#isOver || !this.#isStarting) return;
    this.#isStarting = false;
    this.#finishIfDone();
  }

  #startStep(step: WorkflowStep, label: string): void {
    const { inner, scope } = this.#deps;
    const skipped = skippedBy(step.when);
    if (skipped !== undefined) this.#skip(step, skipped);
    if (skipped?.phase === 'Error') throw skipped.cause;
    if (skipped !== undefined) return;
    const call = createCall(inner, { call: step, nodeName: this.#nodeName(step), label }, this);
    const changed = (): void => this.childChanged(call);
    const errored = (message: string): void => this.#fail('Error', message);
    const hooks = createHooks(inner, { call: step, label, scope, changed, errored });
    this.#children.set(call.name, { step, hooks, isDone: false });
    this.#open++;
    call.enter();
  }

  #nodeName(step: WorkflowStep): string {
    return `${this.#name}.${step.name}`;
  }

  #skip(step: WorkflowStep, skipped: Skipped): void {
    const { options } = this.#deps.inner;
    const node = openSkippedNode(options, this.#nodeName(step), step, skipped);
    options.core.nodes.addChild(this.node, node);
  }

  #finishIfDone(): void {
    if (this.#open > 0 || this.#isStarting || this.#isOver) return;
    const { node } = this;
    const children = this.#deps.inner.options.core.nodes.childrenOf(node);
    if (children.some(isTimedOut)) return this.#fail('Failed', timeoutMessage);
    const failed = children.find(child => isFailed(child) && !this.#isTolerated(child));
    if (failed !== undefined) return this.#fail('Failed', `child '${failed.id}' failed`);
    this.#end('Succeeded');
  }

  #isTolerated({ name, phase }: NodeStatus): boolean {
    const step = this.#children.get(name)?.step;
    return step !== undefined && continuesOn(step, phase);
  }

  /** Ends at once when a child failed, the template says so, and no pod runs any more. */
  #failFast(): boolean {
    const { core, name } = this.#deps.inner.options;
    if (!core.limits.isFailedFast(name)) return false;
    this.#fail('Failed', failFastMessage);
    return true;
  }

  #fail(phase: NodePhase, message: string): void {
    if (!this.#isOver) this.#end(phase, message);
  }

  #end(phase: NodePhase, message?: string): void {
    const { node } = this;
    this.#deps.inner.options.core.nodes.mark(node, phase, message);
    this.#deps.owner.groupEnded(node);
  }
}

const noItems: Skipped = { phase: 'Skipped', message: 'Skipped, empty params' };

function resolveStep(step: WorkflowStep, scope: Scope): WorkflowStep {
  try {
    return resolveCall(step, scope, resolveStepArtifacts);
  } catch (error) {
    throw new Error(`failed to resolve references: ${messageOf(error)}`, { cause: error });
  }
}
