import type { WorkflowStep } from '../document/template.ts';
import { messageOf } from '../errors.ts';
import { evaluateWhen } from '../expressions/index.ts';
import { plainText } from '../template/inert.ts';
import { layerScopes, type Scope } from '../template/scope.ts';
import { type Body, type BodyOptions, openNode } from './body.ts';
import { Call, type CallOwner } from './call.ts';
import { exitHook, lifecycleHooks, NodeHooks } from './hooks.ts';
import { inputScope, resultReferences } from './inner-scope.ts';
import { expandLoop } from './loop.ts';
import { isFailed, isFulfilled, isTimedOut, type NodePhase, type NodeStatus, timeoutMessage } from './node-status.ts';
import { addAggregates, addSkippedValues, type NodeValues, nodeScope, valuesOfNode } from './node-values.ts';
import { outboundNodes } from './outbound.ts';
import { resolveCall } from './resolve-call.ts';
import type { CreateBody } from './retry-body.ts';
import { templateOutputs } from './template-outputs.ts';

interface Child {
  readonly step: WorkflowStep;
  readonly call: Call;
  readonly hooks: NodeHooks;
  isDone: boolean;
}

export const failFastMessage = 'template has failed or errored children and failFast enabled';

/** Executes groups of steps one after the other, the steps of a group at once. */
export class StepsBody implements Body, CallOwner {
  readonly #options: BodyOptions;
  readonly #createBody: CreateBody;
  readonly #values = new Map<string, NodeValues>();
  readonly #isResultReferred: (name: string) => boolean;
  readonly #scope: Scope;
  #children = new Map<string, Child>();
  #group = 0;
  #open = 0;
  #isStarting = false;
  #isEnded = false;

  constructor(options: BodyOptions, createBody: CreateBody) {
    this.#options = options;
    this.#createBody = createBody;
    this.#isResultReferred = resultReferences('steps', options.template);
    const steps = nodeScope(
      'steps',
      () => this.#values.keys(),
      name => this.#values.get(name),
    );
    this.#scope = layerScopes(steps, inputScope(options.template), options.core.scope);
  }

  start(): void {
    const { core, name, template, owner } = this.#options;
    const node = openNode(this.#options, 'Steps', 'Running');
    if (node.phase === 'Pending') core.nodes.mark(node, 'Running', '');
    core.limits.open(name, template);
    core.enqueue(() => owner.bodyChanged(node));
    core.enqueue(() => this.#beginGroup(0));
  }

  readonly childChanged = (call: Call): void => {
    const { core } = this.#options;
    const child = this.#children.get(call.name);
    const { node } = call;
    if (this.#isEnded || child === undefined || node === undefined) return;
    core.nodes.addChild(this.#groupNode(), node);
    if (this.#failFast()) return;
    if (child.isDone || !child.hooks.update(node) || this.#isEnded) return;
    child.isDone = true;
    this.#open--;
    this.#finishGroupIfDone();
  };

  readonly childErrored = (call: Call, message: string): void => {
    const { core } = this.#options;
    if (this.#isEnded || !this.#children.has(call.name)) return;
    if (call.node !== undefined) core.nodes.addChild(this.#groupNode(), call.node);
    this.#failGroup('Error', `step group deemed errored due to child ${call.name} error: ${message}`);
  };

  get #groupName(): string {
    return `${this.#options.name}[${this.#group}]`;
  }

  #groupNode(): NodeStatus {
    const { core, name, context } = this.#options;
    return (
      core.nodes.get(this.#groupName) ??
      core.nodes.create({
        name: this.#groupName,
        type: 'StepGroup',
        phase: 'Running',
        templateScope: context.scope,
        boundary: name,
      })
    );
  }

  #beginGroup(index: number): void {
    if (this.#isEnded) return;
    const steps = this.#options.template.steps?.[index];
    if (steps === undefined) return this.#succeed();
    const previous = index === 0 ? undefined : this.#groupNode();
    this.#group = index;
    this.#children = new Map();
    this.#open = 0;
    const node = this.#groupNode();
    this.#connect(node, previous);
    if (isFulfilled(node)) return this.#endGroup(node);
    try {
      this.#startSteps(steps);
    } catch (error) {
      this.#failGroup('Error', messageOf(error));
    }
  }

  #connect(node: NodeStatus, previous: NodeStatus | undefined): void {
    const { core, name } = this.#options;
    const before = previous ?? core.nodes.get(name);
    if (before === undefined) return;
    const ends = core.nodes.childrenOf(before).flatMap(child => outboundNodes(core, child));
    const parents = previous === undefined || ends.length === 0 ? [before] : ends;
    for (const parent of parents) core.nodes.addChild(parent, node);
  }

  #startSteps(steps: readonly WorkflowStep[]): void {
    const resolved = steps.map(step => this.#resolve(step));
    const expanded = resolved.map(step => ({ step, executions: expandLoop(step, this.#scope) }));
    this.#isStarting = true;
    const starts = expanded.flatMap(({ step, executions }) =>
      executions.length === 0
        ? [() => this.#skip(step, step.name, 'Skipped, empty params')]
        : executions.map(execution => () => this.#startStep(execution, step.name)),
    );
    const { core } = this.#options;
    core.spread([...starts.map(start => () => this.#startInGroup(start)), () => this.#endStarting()]);
  }

  /** Starts a step, perhaps some steps of the execution after its group. */
  #startInGroup(start: () => void): void {
    if (this.#isEnded || !this.#isStarting) return;
    try {
      start();
    } catch (error) {
      this.#isStarting = false;
      this.#failGroup('Error', messageOf(error));
    }
  }

  #endStarting(): void {
    if (this.#isEnded || !this.#isStarting) return;
    this.#isStarting = false;
    this.#finishGroupIfDone();
  }

  #resolve(step: WorkflowStep): WorkflowStep {
    try {
      return resolveCall(step, this.#scope);
    } catch (error) {
      throw new Error(`failed to resolve references: ${messageOf(error)}`, { cause: error });
    }
  }

  #startStep(step: WorkflowStep, label: string): void {
    const when = plainText(step.when ?? '');
    let isDue: boolean;
    try {
      isDue = evaluateWhen(when);
    } catch (error) {
      this.#skip(step, step.name, messageOf(error), 'Error');
      throw error;
    }
    if (!isDue) return this.#skip(step, step.name, `when '${when}' evaluated false`);
    const call = this.#callOf(step, label);
    this.#children.set(call.name, { step, call, hooks: this.#hooksOf(step, label, call), isDone: false });
    this.#open++;
    call.enter();
  }

  #callOf(step: WorkflowStep, label: string): Call {
    const { core, name, context, isExitHandler, depth } = this.#options;
    return new Call({
      core,
      name: `${this.#groupName}.${step.name}`,
      holder: { template: step.template, templateRef: step.templateRef, inline: step.inline },
      label: ['steps.name', step.name],
      context,
      arguments: step.arguments ?? {},
      boundary: name,
      isExitHandler,
      depth: depth + 1,
      captureResult: this.#isResultReferred(label),
      owner: this,
      createBody: this.#createBody,
    });
  }

  #hooksOf(step: WorkflowStep, label: string, call: Call): NodeHooks {
    const { core, name, context, depth } = this.#options;
    return new NodeHooks({
      core,
      hooks: lifecycleHooks(step),
      exit: exitHook(step, core.spec.arguments),
      prefix: 'steps',
      label,
      scope: this.#scope,
      context,
      boundary: name,
      depth,
      createBody: this.#createBody,
      changed: () => this.childChanged(call),
      errored: message => this.#failGroup('Error', message),
    });
  }

  #skip(step: WorkflowStep, stepName: string, message: string, phase: NodePhase = 'Skipped'): void {
    const { core, name: boundary, context } = this.#options;
    const name = `${this.#groupName}.${stepName}`;
    const holder = { template: step.template, templateRef: step.templateRef };
    const node =
      core.nodes.get(name) ??
      core.nodes.create({ name, type: 'Skipped', phase, message, holder, templateScope: context.scope, boundary });
    core.nodes.addChild(this.#groupNode(), node);
  }

  #finishGroupIfDone(): void {
    const { core } = this.#options;
    if (this.#open > 0 || this.#isStarting || this.#isEnded) return;
    const node = this.#groupNode();
    const children = core.nodes.childrenOf(node);
    if (children.some(isTimedOut)) return this.#failGroup('Failed', timeoutMessage);
    const failed = children.find(child => isFailed(child) && !this.#isTolerated(child));
    if (failed !== undefined) return this.#failGroup('Failed', `child '${failed.id}' failed`);
    core.nodes.mark(node, 'Succeeded');
    this.#endGroup(node);
  }

  #isTolerated(node: NodeStatus): boolean {
    const continueOn = this.#children.get(node.name)?.step.continueOn;
    return (
      (node.phase === 'Failed' && continueOn?.failed === true) || (node.phase === 'Error' && continueOn?.error === true)
    );
  }

  #failGroup(phase: NodePhase, message: string): void {
    const { core } = this.#options;
    if (this.#isEnded) return;
    const node = this.#groupNode();
    core.nodes.mark(node, phase, message);
    this.#endGroup(node);
  }

  /** Begins the next group, or ends the template. */
  #endGroup(node: NodeStatus): void {
    const { core } = this.#options;
    if (isFailed(node)) return this.#end('Failed', node.message);
    try {
      for (const step of this.#options.template.steps?.[this.#group] ?? []) this.#readValues(step, node);
    } catch (error) {
      return this.#error(messageOf(error));
    }
    const next = this.#group + 1;
    core.enqueue(() => this.#beginGroup(next));
  }

  #readValues(step: WorkflowStep, group: NodeStatus): void {
    const { core, context } = this.#options;
    const name = `${group.name}.${step.name}`;
    const node = core.nodes.get(name);
    const values = valuesOfNode(core, node ?? group);
    if (node === undefined) addAggregates(core, values, this.#loopChildren(name, group));
    else addSkippedValues(values, node, this.#templateOf(step, context), true);
    this.#values.set(step.name, values);
  }

  #loopChildren(name: string, group: NodeStatus): NodeStatus[] {
    const children = this.#options.core.nodes.childrenOf(group);
    return children.filter(child => child.name.startsWith(`${name}(`) && child.type !== 'Skipped');
  }

  #templateOf(step: WorkflowStep, context: BodyOptions['context']) {
    try {
      return this.#options.core.templates.resolve(step, context).template;
    } catch {
      return undefined;
    }
  }

  /** Ends at once when a child failed, the template says so, and no pod runs any more. */
  #failFast(): boolean {
    const { core, name } = this.#options;
    if (!core.limits.isFailedFast(name)) return false;
    core.nodes.mark(this.#groupNode(), 'Failed', failFastMessage);
    this.#end('Failed', failFastMessage);
    return true;
  }

  #succeed(): void {
    const { core, template, name } = this.#options;
    const node = core.nodes.get(name);
    if (node === undefined) return;
    try {
      const outputs = templateOutputs(template, this.#scope);
      if (outputs !== undefined) node.outputs = outputs;
      core.exportOutputs(outputs);
    } catch (error) {
      return this.#error(messageOf(error));
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

  #error(message: string): void {
    const { core, name, owner } = this.#options;
    const node = core.nodes.get(name);
    if (node === undefined) return;
    this.#close(node);
    core.nodes.mark(node, 'Error', message);
    core.enqueue(() => owner.bodyErrored(node, message));
  }

  #close(node: NodeStatus): void {
    const { core, name } = this.#options;
    this.#isEnded = true;
    const last = core.nodes.get(this.#groupName);
    const children = last === undefined ? [] : core.nodes.childrenOf(last);
    const ends = children.flatMap(child => outboundNodes(core, child));
    node.outboundNodes = (ends.length === 0 && last !== undefined ? [last] : ends).map(({ id }) => id);
    core.stopDaemons(name);
  }
}
