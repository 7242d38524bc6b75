import { mergeWorkflowTemplate } from '../document/merge-workflow-template.ts';
import type { Outputs } from '../document/parameters.ts';
import { noStoredTemplates, type StoredTemplates, type WorkflowDocument } from '../document/workflow.ts';
import { messageOf, WorkflowError } from '../errors.ts';
import type { ReadConfigMap } from '../template/bind-arguments.ts';
import type { Action } from './actions.ts';
import { carryOut } from './commands.ts';
import { Core } from './core.ts';
import type { NodeStatus, WorkflowStatus } from './node-status.ts';
import type { NodeChange } from './node-table.ts';
import type { Observation } from './observations.ts';
import { WorkflowRun } from './workflow-run.ts';

export interface ExecutionOptions {
  readonly document: WorkflowDocument;
  /** Default: `metadata.name`. */
  readonly name?: string;
  /** Default: `metadata.namespace`, or `default`. */
  readonly namespace?: string;
  /** Default: `metadata.uid`, or the name. */
  readonly uid?: string;
  /** Milliseconds since the epoch. Default: `metadata.creationTimestamp`, or 0. */
  readonly creationTime?: number;
  /** Default: none exist. */
  readonly storedTemplates?: StoredTemplates;
  /** Default: none exist. */
  readonly readConfigMap?: ReadConfigMap;
  /** Braces in arguments of the workflow and in outputs of nodes never act as tags. Default false, as in Argo. */
  readonly hasInertValues?: boolean;
  /**
   * About how much work one step does, in units of `work`, before it leaves the rest to the next. Loops with more items
   * are started in parts. Default: no limit.
   */
  readonly maxWork?: number;
}

/** What was stored of an execution. */
export interface StoredExecution extends ExecutionOptions {
  readonly status: WorkflowStatus;
  readonly nodes: Iterable<NodeStatus>;
}

/** What one step of an execution leads to. */
export interface Step {
  /** To be stored before the actions are carried out. */
  readonly changed: readonly NodeChange[];
  /** When it changed: to be stored together with the nodes. */
  readonly status: WorkflowStatus | undefined;
  readonly actions: readonly Action[];
  /** After a restore: actions that were given before, and may or may not have been carried out. */
  readonly reissued: readonly Action[];
  /** Why commands were not carried out. */
  readonly rejections: readonly WorkflowError[];
  /** Observations that were not considered: they are to be reported again. Empty without `maxWork`. */
  readonly rest: readonly Observation[];
  /** There is more to do at once. Always false without `maxWork`. */
  readonly isUnfinished: boolean;
}

/** Starts to execute a document; nothing happens before the first `advance`. */
export const createExecution = (options: ExecutionOptions): Execution => new Execution(options, undefined);

/** Continues an execution from what was stored of it. */
export const restoreExecution = (stored: StoredExecution): Execution => new Execution(stored, stored);

/** Why an execution ends before anything of it runs. */
interface Problem {
  readonly phase: 'Failed' | 'Error';
  readonly message: string;
}

/** The document with its workflowTemplateRef merged; as it is when there is no such template. */
function mergeTemplate({ document, storedTemplates = noStoredTemplates }: ExecutionOptions): {
  readonly document: WorkflowDocument;
  readonly problem?: Problem;
} {
  try {
    return { document: mergeWorkflowTemplate(document, storedTemplates) };
  } catch (error) {
    return { document, problem: { phase: 'Error', message: messageOf(error) } };
  }
}

const problemOf = ({ scope: { problem } }: Core): Problem | undefined =>
  problem === undefined ? undefined : { phase: 'Failed', message: problem };

/**
 * One workflow that is being executed. It does no input or output, and has no clock: the caller reports what happened and
 * when, stores what changed, and then carries out the actions.
 */
export class Execution {
  readonly #core: Core;
  readonly #run: WorkflowRun;
  readonly #problem: Problem | undefined;
  #hasBegun = false;
  /** Timers that were due when the last step had done enough. */
  readonly #due: (() => void)[] = [];
  #lastStatus = '';
  #lastWake: number | undefined;

  constructor(options: ExecutionOptions, stored: StoredExecution | undefined) {
    const { document, problem } = mergeTemplate(options);
    this.#core = createCore(options, document);
    this.#problem = problem ?? problemOf(this.#core);
    const status: WorkflowStatus = structuredClone(stored?.status ?? { phase: '' });
    this.#core.shutdown = status.shutdown ?? document.spec.shutdown;
    this.#core.isSuspended = status.suspended ?? document.spec.suspend === true;
    this.#run = new WorkflowRun(this.#core, status);
    if (stored !== undefined) this.#load(stored, status.outputs);
  }

  /** Takes one step: considers what was observed, in its order, at a time in milliseconds since the epoch. */
  advance(observed: readonly Observation[], now: number): Step {
    const core = this.#core;
    core.setNow(now);
    core.beginStep();
    const rejections: WorkflowError[] = [];
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#begin();
      this.#settle();
    }
    this.#due.push(...core.timers.takeDue(now));
    while (!core.isExhausted && this.#due.length > 0) this.#do(this.#due.shift());
    let considered = 0;
    while (!core.isExhausted && considered < observed.length) {
      const observation = observed[considered++];
      if (observation !== undefined) this.#do(() => this.#observe(observation, rejections));
    }
    while (!core.isExhausted && core.hasDeferred && !this.isCompleted) {
      core.doDeferred();
      this.#settle();
    }
    return this.#step(rejections, observed.slice(considered));
  }

  #do(work: (() => void) | undefined): void {
    this.#core.steps++;
    work?.();
    this.#settle();
  }

  get status(): WorkflowStatus {
    const core = this.#core;
    const status: WorkflowStatus = { ...this.#run.status };
    if (core.nodes.pods > 0) status.progress = `${core.nodes.endedPods}/${core.nodes.pods}`;
    if (hasOutputs(core.outputs)) status.outputs = structuredClone(core.outputs);
    if (core.shutdown !== undefined) status.shutdown = core.shutdown;
    if (core.isSuspended || core.spec.suspend === true) status.suspended = core.isSuspended;
    else delete status.suspended;
    if (status.phase !== '') status.conditions = this.#conditions();
    return status;
  }

  /** All nodes, in the order of their creation. */
  get nodes(): Iterable<NodeStatus> {
    return this.#core.nodes.values();
  }

  get isCompleted(): boolean {
    return this.#run.isCompleted;
  }

  /** A measure of the work done so far, which does not depend on the machine. */
  get work(): number {
    return this.#core.steps + this.#core.nodes.touches;
  }

  #begin(): void {
    if (this.#problem === undefined) this.#run.begin();
    else if (!this.isCompleted) this.#run.fail(this.#problem.phase, this.#problem.message);
  }

  #load({ nodes }: StoredExecution, outputs: Outputs | undefined): void {
    const core = this.#core;
    for (const node of nodes) core.nodes.load(node);
    for (const node of core.nodes.values()) if (node.daemoned === true) core.addDaemon(node);
    if (outputs === undefined) return;
    Object.assign(core.outputs, structuredClone(outputs));
    core.scope.setOutputs(core.outputs);
  }

  #observe(observation: Observation, rejections: WorkflowError[]): void {
    const core = this.#core;
    switch (observation.kind) {
      case 'tick':
        return;
      case 'command':
        try {
          carryOut(core, this.#run, observation.command);
        } catch (error) {
          rejections.push(
            error instanceof WorkflowError ? error : new WorkflowError('invalid-command', messageOf(error)),
          );
        }
        return;
      case 'lockGranted':
      case 'lockWaiting':
      case 'lockFailed':
        core.receivers.get(observation.holder)?.observe(observation);
        return;
      default:
        core.receivers.get(observation.node)?.observe(observation);
    }
  }

  /** Does everything that follows, until nothing does. */
  #settle(): void {
    const core = this.#core;
    core.drain();
    for (const check of [...core.idleChecks]) check();
    core.drain();
  }

  #step(rejections: readonly WorkflowError[], rest: readonly Observation[]): Step {
    const core = this.#core;
    const changed = core.nodes.takeChanges();
    const wake = core.timers.next();
    if (wake !== this.#lastWake && wake !== undefined) core.act({ kind: 'wakeAt', time: wake });
    this.#lastWake = wake;
    const status = this.status;
    const text = JSON.stringify(status);
    const isChanged = text !== this.#lastStatus;
    this.#lastStatus = text;
    const isUnfinished = rest.length + this.#due.length > 0 || (core.hasDeferred && !this.isCompleted);
    return { changed, status: isChanged ? status : undefined, ...core.takeActions(), rejections, rest, isUnfinished };
  }

  #conditions(): WorkflowStatus['conditions'] {
    const isRunning = this.#core.nodes.activePods > 0 && !this.isCompleted;
    const conditions = [{ type: 'PodRunning', status: isRunning ? ('True' as const) : ('False' as const) }];
    return this.isCompleted ? [...conditions, { type: 'Completed', status: 'True' }] : conditions;
  }
}

function createCore(options: ExecutionOptions, document: WorkflowDocument): Core {
  const { metadata } = document;
  const name = options.name ?? metadata.name;
  if (name === undefined) throw new WorkflowError('invalid-document', 'a workflow that is executed must have a name');
  const created = options.creationTime ?? Date.parse(metadata.creationTimestamp ?? '');
  return new Core({
    document,
    identity: {
      name,
      namespace: options.namespace ?? metadata.namespace ?? 'default',
      uid: options.uid ?? metadata.uid ?? name,
      creationTime: Number.isNaN(created) ? 0 : created,
    },
    storedTemplates: options.storedTemplates ?? noStoredTemplates,
    readConfigMap: options.readConfigMap ?? (() => undefined),
    hasInertValues: options.hasInertValues === true,
    maxWork: options.maxWork ?? Number.POSITIVE_INFINITY,
  });
}

const hasOutputs = ({ parameters = [], artifacts = [] }: Outputs): boolean => parameters.length + artifacts.length > 0;
