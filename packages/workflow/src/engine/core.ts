import { podNameOf } from '../document/node-ids.ts';
import type { Outputs } from '../document/parameters.ts';
import type { RetryStrategy } from '../document/template.ts';
import type { ShutdownStrategy, StoredTemplates, WorkflowDocument, WorkflowSpec } from '../document/workflow.ts';
import type { ReadConfigMap } from '../template/bind-arguments.ts';
import { makeInert } from '../template/inert.ts';
import { substitute } from '../template/substitute.ts';
import { contextOf, type TemplateContext, TemplateResolver } from '../template/template-context.ts';
import { type Action, graceSeconds } from './actions.ts';
import { addGlobalOutputs } from './global-outputs.ts';
import { Limits } from './limits.ts';
import type { NodeStatus } from './node-status.ts';
import { NodeTable } from './node-table.ts';
import type { Receiver } from './receiver.ts';
import { Timers } from './timers.ts';
import { type WorkflowIdentity, WorkflowScope } from './workflow-scope.ts';

export interface CoreOptions {
  /** With its workflowTemplateRef merged. */
  readonly document: WorkflowDocument;
  readonly identity: WorkflowIdentity;
  readonly storedTemplates: StoredTemplates;
  readonly readConfigMap: ReadConfigMap;
  readonly hasInertValues: boolean;
  /** Work that one step may do before it leaves the rest to the next. */
  readonly maxWork: number;
}

/** What all parts of one execution share. */
export class Core {
  readonly name: string;
  readonly identity: WorkflowIdentity;
  readonly spec: WorkflowSpec;
  readonly context: TemplateContext;
  readonly templates: TemplateResolver;
  readonly scope: WorkflowScope;
  readonly nodes: NodeTable;
  readonly timers = new Timers();
  readonly limits: Limits;
  readonly readConfigMap: ReadConfigMap;
  /** Those that observations of a node are for, by the node's name or the holder of a lock. */
  readonly receivers = new Map<string, Receiver>();
  /** Names of daemons by that of the boundary that stops them. */
  readonly #daemons = new Map<string, Set<string>>();
  /** Done at the end of each step: templates that are complete except for nodes below that still run. */
  readonly idleChecks = new Set<() => void>();
  readonly outputs: Outputs = {};
  readonly inert: (text: string) => string;
  now = 0;
  shutdown: ShutdownStrategy | undefined;
  isSuspended = false;
  deadline: number | undefined;
  /** Work done so far, in steps of the queue. */
  steps = 0;
  readonly #queue: (() => void)[] = [];
  readonly #parked: (() => void)[] = [];
  /** Items of large loops that later steps start; each loop in reverse. */
  readonly #deferred: (() => void)[][] = [];
  readonly #maxWork: number;
  #stepsBefore = 0;
  #actions: Action[] = [];
  #reissued: Action[] = [];

  constructor({ document, identity, storedTemplates, readConfigMap, hasInertValues, maxWork }: CoreOptions) {
    this.#maxWork = maxWork;
    this.name = identity.name;
    this.identity = identity;
    this.readConfigMap = readConfigMap;
    this.inert = hasInertValues ? makeInert : text => text;
    this.nodes = new NodeTable(identity.name);
    const { metadata, spec } = document;
    this.scope = new WorkflowScope({ identity, metadata, spec, readConfigMap, hasInertValues });
    this.scope.listNodes = () => this.nodes.values();
    this.spec = { ...substitute({ ...spec, templates: [] }, this.scope), templates: spec.templates ?? [] };
    this.templates = new TemplateResolver(storedTemplates, this.spec.templateDefaults);
    this.context = contextOf(`local/${identity.name}`, document);
    this.limits = new Limits(this.nodes, this.spec.parallelism);
  }

  /** The time of the step that is being taken, for nodes and values. */
  setNow(now: number): void {
    this.now = now;
    this.nodes.now = now;
    this.scope.now = now;
  }

  /** Does some work later in the same step, so that long chains need no deep stack. */
  enqueue(work: () => void): void {
    this.#queue.push(work);
  }

  /** Does all work that is due. */
  drain(): void {
    for (let at = 0; at < this.#queue.length; at++) {
      this.steps++;
      this.#queue[at]?.();
    }
    this.#queue.length = 0;
  }

  /** Begins to count the work of a step. */
  beginStep(): void {
    this.#stepsBefore = this.steps;
  }

  /** Whether the step has done as much as it may. */
  get isExhausted(): boolean {
    return this.steps - this.#stepsBefore >= this.#maxWork;
  }

  /** Does similar things in their order: now, or in later steps when they are more than a step may do. */
  spread(items: readonly (() => void)[]): void {
    if (items.length <= this.#maxWork) for (const item of items) item();
    else this.#deferred.push(items.toReversed());
  }

  get hasDeferred(): boolean {
    return this.#deferred.length > 0;
  }

  /** Does the next thing that was deferred. */
  doDeferred(): void {
    this.steps++;
    const item = this.#deferred[0]?.pop();
    if (this.#deferred[0]?.length === 0) this.#deferred.shift();
    item?.();
  }

  /** Does work that starts something new: a suspended workflow keeps it until it is resumed. */
  begin(work: () => void): void {
    if (this.isSuspended) this.#parked.push(work);
    else work();
  }

  resume(): void {
    this.isSuspended = false;
    for (const work of this.#parked.splice(0)) this.enqueue(work);
  }

  /** Notes that a node runs until the template around it ends. */
  addDaemon(node: NodeStatus): void {
    const boundary = this.nodes.boundaryOf(node) ?? '';
    const names = this.#daemons.get(boundary) ?? new Set();
    this.#daemons.set(boundary, names.add(node.name));
  }

  /** Stops the daemons of a template that has ended. */
  stopDaemons(boundary: string): void {
    for (const name of this.#daemons.get(boundary) ?? []) {
      const node = this.nodes.get(name);
      if (node?.daemoned === true) this.#stopDaemon(node);
    }
    this.#daemons.delete(boundary);
  }

  #stopDaemon(node: NodeStatus): void {
    const podName = podNameOf(this.name, node.name, node.templateName ?? node.templateRef?.template);
    const reason = 'the template of the daemon ended';
    if (node.type === 'Pod') this.act({ kind: 'kill', node: node.name, podName, graceSeconds, reason });
    this.nodes.update(node, changed => {
      delete changed.daemoned;
    });
    this.nodes.mark(node, 'Succeeded');
    this.receivers.delete(node.name);
    this.timers.clear(`pod:${node.name}`);
  }

  act(action: Action): void {
    this.#actions.push(action);
  }

  /** Repeats an action of a node that was stored: it may have been carried out already, or not. */
  reissue(action: Action): void {
    this.#reissued.push(action);
  }

  takeActions(): { actions: Action[]; reissued: Action[] } {
    const taken = { actions: this.#actions, reissued: this.#reissued };
    this.#actions = [];
    this.#reissued = [];
    return taken;
  }

  retryStrategyOf(template: { retryStrategy?: RetryStrategy }): RetryStrategy | undefined {
    return template.retryStrategy ?? this.spec.retryStrategy;
  }

  /** Whether new work may start, now that the workflow may be shutting down. */
  mayExecute(isExitHandler: boolean): boolean {
    return this.shutdown === undefined || (this.shutdown === 'Stop' && isExitHandler);
  }

  isPastDeadline(): boolean {
    return this.deadline !== undefined && this.now >= this.deadline;
  }

  /** Exports the outputs of a node that have a globalName. */
  exportOutputs(outputs: Outputs | undefined): void {
    if (outputs !== undefined && addGlobalOutputs(this.outputs, outputs)) this.scope.setOutputs(this.outputs);
  }
}
