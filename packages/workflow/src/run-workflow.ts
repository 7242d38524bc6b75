import { overrideParameters } from './again/override-parameters.ts';
import { parseWorkflow } from './document/parse-workflow.ts';
import type { StoredTemplates, WorkflowDocument } from './document/workflow.ts';
import type { Action, HttpAction, MemoGetAction } from './engine/actions.ts';
import { createExecution, type Execution, type Step } from './engine/execution.ts';
import type { NodeStatus, WorkflowStatus } from './engine/node-status.ts';
import type { Command, Observation } from './engine/observations.ts';
import { messageOf } from './errors.ts';
import { SharedLocks } from './locks/shared-locks.ts';
import { MemoCache } from './memo-cache.ts';
import { ProcessRunner } from './runner/process/process-runner.ts';
import type { Runner } from './runner/runner.ts';
import type { ReadConfigMap } from './template/bind-arguments.ts';
import { validateWorkflow } from './validate/index.ts';

export interface RunWorkflowOptions {
  /** Default: processes of this machine. A runner that is given is not closed. */
  readonly runner?: Runner;
  /** Other values for arguments of the workflow. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly storedTemplates?: StoredTemplates;
  /** Default: there are no ConfigMaps. */
  readonly readConfigMap?: ReadConfigMap;
  /** Shared with other workflows. Default: the workflow's own. */
  readonly locks?: SharedLocks;
  /** Shared with other workflows. Default: the workflow's own. */
  readonly memo?: MemoCache;
  /** Called after every step with what changed, and with a function by which the workflow is resumed, stopped and so on. */
  readonly onStep?: (step: Step, give: (command: Command) => void) => void;
  /** Stops the workflow, with its exit handlers. */
  readonly signal?: AbortSignal;
}

export interface FinishedWorkflow {
  readonly status: WorkflowStatus;
  readonly nodes: readonly NodeStatus[];
}

/** Executes a document in this process, and resolves when it has ended, in whatever phase. */
export async function runWorkflow(
  source: string | object,
  options: RunWorkflowOptions = {},
): Promise<FinishedWorkflow> {
  const document = named(overrideParameters(parseWorkflow(source), options.parameters));
  const runner = options.runner ?? new ProcessRunner();
  const [problem] = validateWorkflow(document, {
    ...(options.storedTemplates && { templates: options.storedTemplates }),
    ...(runner.artifactDrivers && { artifactDrivers: runner.artifactDrivers }),
  });
  // That a template does not exist is found out before validation, and reported by the execution.
  if (problem !== undefined && hasTemplate(document, options)) return refused(problem);
  try {
    return await new WorkflowDriver(document, runner, options).run();
  } finally {
    if (options.runner === undefined) await runner.close();
  }
}

function hasTemplate(
  { spec: { workflowTemplateRef: reference } }: WorkflowDocument,
  options: RunWorkflowOptions,
): boolean {
  if (reference === undefined) return true;
  return options.storedTemplates?.find(reference.name, reference.clusterScope === true) !== undefined;
}

/** How a document ends that cannot be executed. */
function refused(problem: string): FinishedWorkflow {
  const now = new Date().toISOString();
  return {
    status: { phase: 'Failed', message: `invalid spec: ${problem}`, startedAt: now, finishedAt: now },
    nodes: [],
  };
}

/** Kubernetes cuts what a name is generated from, so that the whole is no longer than a label may be. */
const maxGeneratedLength = 58;

/** A document with only a generateName gets a unique name. */
function named(document: WorkflowDocument): WorkflowDocument {
  const { name, generateName = 'workflow-' } = document.metadata;
  if (name !== undefined) return document;
  const suffix = crypto.randomUUID().replaceAll('-', '').slice(0, 5);
  return {
    ...document,
    metadata: { ...document.metadata, name: `${generateName.slice(0, maxGeneratedLength)}${suffix}` },
  };
}

/** Why there was no response: `fetch` itself says only that it failed. */
const requestProblem = (error: unknown): string =>
  messageOf(error instanceof TypeError ? (error.cause ?? error) : error);

const defaultHttpTimeoutSeconds = 30;
/** Longer delays than this fire at once. */
const maxDelayMs = 2 ** 31 - 1;

/** Carries out the actions of one execution. */
class WorkflowDriver {
  readonly #execution: Execution;
  readonly #identity: { name: string; namespace: string; uid: string };
  readonly #runner: Runner;
  readonly #options: RunWorkflowOptions;
  readonly #locks: SharedLocks;
  readonly #memo: MemoCache;
  readonly #ended = Promise.withResolvers<void>();
  readonly #running = new Set<string>();
  #observed: Observation[] = [];
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(document: WorkflowDocument, runner: Runner, options: RunWorkflowOptions) {
    const uid = document.metadata.uid ?? crypto.randomUUID();
    this.#identity = { name: document.metadata.name ?? '', namespace: document.metadata.namespace ?? 'default', uid };
    const { storedTemplates, readConfigMap } = options;
    const creationTime = Date.now();
    this.#execution = createExecution({
      document,
      uid,
      creationTime,
      ...(storedTemplates && { storedTemplates }),
      ...(readConfigMap && { readConfigMap }),
    });
    this.#runner = runner;
    this.#options = options;
    this.#locks = options.locks ?? new SharedLocks();
    this.#memo = options.memo ?? new MemoCache();
  }

  async run(): Promise<FinishedWorkflow> {
    const stop = (): void => this.#give({ name: 'stop' });
    this.#options.signal?.addEventListener('abort', stop);
    this.#observe({ kind: 'tick' });
    await this.#ended.promise;
    this.#options.signal?.removeEventListener('abort', stop);
    clearTimeout(this.#timer);
    return { status: this.#execution.status, nodes: [...this.#execution.nodes] };
  }

  #give(command: Command): void {
    this.#observe({ kind: 'command', command });
  }

  /** Notes what happened; several observations make one step. */
  #observe(observation: Observation): void {
    this.#observed.push(observation);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      try {
        this.#advance();
      } catch (error) {
        this.#ended.reject(error);
      }
    });
  }

  #advance(): void {
    const observed = this.#observed;
    this.#observed = [];
    const step = this.#execution.advance(observed, Date.now());
    this.#options.onStep?.(step, command => this.#give(command));
    for (const action of step.actions) this.#act(action);
    if (this.#execution.isCompleted && this.#running.size === 0) this.#ended.resolve();
  }

  #act(action: Action): void {
    switch (action.kind) {
      case 'start':
        this.#running.add(action.node);
        this.#runner.start({ workflow: this.#identity, action }, report => {
          if (report.kind !== 'started') this.#running.delete(report.node);
          this.#observe(report);
        });
        return;
      case 'kill':
        this.#runner.kill(action.node, action.graceSeconds);
        return;
      case 'http':
        void this.#request(action).then(observation => this.#observe(observation));
        return;
      case 'wakeAt':
        this.#wakeAt(action.time);
        return;
      case 'acquire':
        this.#locks.acquire(action, this.#identity.uid, answer => this.#observe(answer));
        return;
      case 'release':
        this.#locks.release(action.holder);
        return;
      case 'memoGet':
        this.#observe(this.#read(action));
        return;
      case 'memoPut':
        this.#memo.put(action, Date.now());
        return;
    }
  }

  /** Timers may fire a little before the clock shows their time: the engine would find nothing due, and ask no more. */
  #wakeAt(time: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => (Date.now() < time ? this.#wakeAt(time) : this.#observe({ kind: 'tick' })),
      Math.min(Math.max(0, time - Date.now()), maxDelayMs),
    );
  }

  #read(action: MemoGetAction): Observation {
    const outputs = this.#memo.get(action, Date.now());
    return outputs === undefined ? { kind: 'memo', node: action.node } : { kind: 'memo', node: action.node, outputs };
  }

  async #request({ node, request }: HttpAction): Promise<Observation> {
    const { url, method = 'GET', headers = [], body, timeoutSeconds = defaultHttpTimeoutSeconds } = request;
    try {
      const response = await fetch(url, {
        method,
        headers: headers.map(({ name, value = '' }): [string, string] => [name, value]),
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      });
      const received = Object.fromEntries([...response.headers].map(([name, value]) => [name, [value]]));
      return { kind: 'response', node, statusCode: response.status, body: await response.text(), headers: received };
    } catch (error) {
      return { kind: 'noResponse', node, message: requestProblem(error) };
    }
  }
}
