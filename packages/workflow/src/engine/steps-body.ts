import type { WorkflowStep } from '../document/template.ts';
import { messageOf } from '../errors.ts';
import { layerScopes, type Scope } from '../template/scope.ts';
import { type Body, type BodyOptions, openNode } from './body.ts';
import { type BodyEnd, endBody, errored } from './end-body.ts';
import { type InnerCalls, innerCalls } from './inner-call.ts';
import { inputScope } from './inner-scope.ts';
import { isFailed, isFulfilled, type NodeStatus } from './node-status.ts';
import { addAggregates, addSkippedValues, type NodeValues, nodeScope, valuesOfNode } from './node-values.ts';
import { outboundNodes } from './outbound.ts';
import type { CreateBody } from './retry-body.ts';
import { type GroupOwner, StepGroup } from './step-group.ts';
import { templateOutputs } from './template-outputs.ts';

/** Executes groups of steps one after the other. */
export class StepsBody implements Body, GroupOwner {
  readonly #options: BodyOptions;
  readonly #inner: InnerCalls;
  readonly #values = new Map<string, NodeValues>();
  readonly #scope: Scope;
  #index = 0;
  #group: StepGroup | undefined;
  #isEnded = false;

  constructor(options: BodyOptions, createBody: CreateBody) {
    this.#options = options;
    this.#inner = innerCalls('steps', options, createBody);
    const steps = nodeScope(
      'steps',
      () => this.#values.keys(),
      name => this.#values.get(name),
    );
    this.#scope = layerScopes(steps, inputScope(options.template), options.core.scope);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  start(): void {
    const { core, name, template, owner } = this.#options;
    const node = openNode(this.#options, 'Steps', 'Running');
    if (node.phase === 'Pending') core.nodes.mark(node, 'Running', '');
    core.limits.open(name, template);
    core.enqueue(() => owner.bodyChanged(node));
    core.enqueue(() => this.#begin(0));
  }

  isCurrent(group: StepGroup): boolean {
    return group === this.#group;
  }

  /** Begins the next group, or ends the template. */
  groupEnded(node: NodeStatus): void {
    if (isFailed(node)) return this.#end({ phase: 'Failed', message: node.message });
    try {
      for (const step of this.#options.template.steps?.[this.#index] ?? []) this.#readValues(step, node);
    } catch (error) {
      return this.#end(errored(messageOf(error)));
    }
    const next = this.#index + 1;
    this.#options.core.enqueue(() => this.#begin(next));
  }

  #begin(index: number): void {
    if (this.#isEnded) return;
    const steps = this.#options.template.steps?.[index];
    if (steps === undefined) return this.#end(this.#succeed());
    const previous = this.#group?.node;
    this.#index = index;
    const group = new StepGroup(index, { inner: this.#inner, scope: this.#scope, owner: this });
    this.#group = group;
    const { node } = group;
    this.#connect(node, previous);
    if (isFulfilled(node)) return this.groupEnded(node);
    group.start(steps);
  }

  #connect(node: NodeStatus, previous: NodeStatus | undefined): void {
    const { core, name } = this.#options;
    const before = previous ?? core.nodes.get(name);
    if (before === undefined) return;
    const ends = previous === undefined ? [] : this.#endsOf(previous);
    for (const parent of ends.length === 0 ? [before] : ends) core.nodes.addChild(parent, node);
  }

  #endsOf(group: NodeStatus): NodeStatus[] {
    const { core } = this.#options;
    return core.nodes.childrenOf(group).flatMap(child => outboundNodes(core, child));
  }

  #readValues(step: WorkflowStep, group: NodeStatus): void {
    const { core } = this.#options;
    const name = `${group.name}.${step.name}`;
    const node = core.nodes.get(name);
    const values = valuesOfNode(core, node ?? group);
    if (node === undefined) addAggregates(core, values, itemsOf(name, core.nodes.childrenOf(group)));
    else addSkippedValues(values, node, this.#templateOf(step), true);
    this.#values.set(step.name, values);
  }

  #templateOf(step: WorkflowStep) {
    const { core, context } = this.#options;
    try {
      return core.templates.resolve(step, context).template;
    } catch {
      return undefined;
    }
  }

  #succeed(): BodyEnd {
    const { core, template, name } = this.#options;
    const node = core.nodes.get(name);
    try {
      const outputs = templateOutputs(template, this.#scope);
      if (outputs !== undefined && node !== undefined) node.outputs = outputs;
      core.exportOutputs(outputs);
    } catch (error) {
      return errored(messageOf(error));
    }
    return { phase: 'Succeeded', message: undefined };
  }

  #end(end: BodyEnd): void {
    this.#isEnded = true;
    const last = this.#group?.node;
    const ends = last === undefined ? [] : this.#endsOf(last);
    endBody(this.#options, ends.length === 0 && last !== undefined ? [last] : ends, end);
  }
}

/** The nodes of a loop's items. */
const itemsOf = (name: string, children: readonly NodeStatus[]): NodeStatus[] =>
  children.filter(child => child.name.startsWith(`${name}(`) && child.type !== 'Skipped');
