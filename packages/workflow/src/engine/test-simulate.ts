import type { Outputs } from '../document/parameters.ts';
import { parseWorkflow } from '../document/parse-workflow.ts';
import type { StoredTemplates } from '../document/workflow.ts';
import { LockTable } from '../locks/lock-table.ts';
import type { Action, StartAction } from './actions.ts';
import { createExecution, type Execution, type ExecutionOptions, restoreExecution } from './execution.ts';
import type { NodeStatus, WorkflowStatus } from './node-status.ts';
import type { Command, Ended, HttpResponse, Observation } from './observations.ts';

export interface SimulateOptions {
  /** Default: that of the document. */
  readonly name?: string;
  readonly storedTemplates?: StoredTemplates;
  readonly readConfigMap?: ExecutionOptions['readConfigMap'];
  readonly hasInertValues?: boolean;
  /** Commands by the number of the step before which they are given. */
  readonly commands?: Readonly<Record<number, Command>>;
  /** Chooses which of several observations comes next. Default: the first. */
  readonly choose?: (count: number) => number;
  /** Restores the execution from what was stored, after every step. Default false. */
  readonly isRestored?: boolean;
  /** Work of one step. Default: no limit. */
  readonly maxWork?: number;
  readonly memo?: Map<string, Outputs>;
  readonly locks?: LockTable;
  readonly respond?: (url: string) => Omit<HttpResponse, 'kind' | 'node'>;
  readonly maxSteps?: number;
}

export interface Simulated {
  readonly execution: Execution;
  readonly status: WorkflowStatus;
  readonly nodes: readonly NodeStatus[];
  readonly starts: readonly StartAction[];
  readonly kills: readonly string[];
  readonly rejections: readonly string[];
  /** Nodes that ran at once, at most. */
  readonly maxRunning: number;
}

export const simulationStart = Date.UTC(2026, 0, 2, 3, 4, 5);

/**
 * Executes a document against a world in memory. What a container does is said by its args or script, in commands
 * separated by `;`: `echo TEXT`, `exit N`, `write PATH TEXT`, `hang` (until it is killed), `oom`, `lost` (with a message),
 * `pend` (never starts).
 */
export function simulate(source: string | object, options: SimulateOptions = {}): Simulated {
  return new Simulation(source, options).run();
}

class Simulation {
  readonly #options: SimulateOptions;
  readonly #execution: ExecutionOptions;
  readonly #pending: Observation[] = [];
  readonly #running = new Map<string, StartAction>();
  readonly #ending = new Set<string>();
  readonly #starts: StartAction[] = [];
  readonly #kills: string[] = [];
  readonly #rejections: string[] = [];
  readonly #stored = new Map<string, NodeStatus>();
  readonly #memo: Map<string, Outputs>;
  readonly #locks: LockTable;
  #status: WorkflowStatus = { phase: '' };
  #wake: number | undefined;
  #now = simulationStart;
  #maxRunning = 0;
  #isUnfinished = false;

  constructor(source: string | object, options: SimulateOptions) {
    this.#options = options;
    this.#memo = options.memo ?? new Map<string, Outputs>();
    this.#locks = options.locks ?? new LockTable(() => 1);
    this.#execution = {
      document: parseWorkflow(source),
      uid: 'uid-1',
      creationTime: simulationStart,
      ...(options.name !== undefined && { name: options.name }),
      ...(options.storedTemplates && { storedTemplates: options.storedTemplates }),
      ...(options.readConfigMap && { readConfigMap: options.readConfigMap }),
      ...(options.hasInertValues !== undefined && { hasInertValues: options.hasInertValues }),
      ...(options.maxWork !== undefined && { maxWork: options.maxWork }),
    };
  }

  run(): Simulated {
    let execution = createExecution(this.#execution);
    this.#take(execution, []);
    for (let step = 1; step < (this.#options.maxSteps ?? 100_000); step++) {
      if (this.#options.isRestored === true) execution = this.#restore();
      const command = this.#options.commands?.[step];
      if (command !== undefined) this.#take(execution, [{ kind: 'command', command }]);
      else if (!this.#next(execution, step)) break;
    }
    return {
      execution,
      status: execution.status,
      nodes: [...execution.nodes],
      starts: this.#starts,
      kills: this.#kills,
      rejections: this.#rejections,
      maxRunning: this.#maxRunning,
    };
  }

  /** Lets the next thing happen; time passes when nothing else does. */
  #next(execution: Execution, step: number): boolean {
    if (this.#isUnfinished && !execution.isCompleted) {
      this.#take(execution, this.#pending.splice(0, 1));
      return true;
    }
    const next = this.#pending.splice(this.#options.choose?.(this.#pending.length) ?? 0, 1);
    if (next.length > 0) {
      this.#now += 1;
      this.#take(execution, next);
      return true;
    }
    const laterCommand = Object.keys(this.#options.commands ?? {}).some(key => Number(key) > step);
    if (this.#wake === undefined || execution.isCompleted) return laterCommand && !execution.isCompleted;
    this.#now = Math.max(this.#now, this.#wake);
    this.#wake = undefined;
    this.#take(execution, [{ kind: 'tick' }]);
    return true;
  }

  #restore(): Execution {
    const stored = { status: structuredClone(this.#status), nodes: [...this.#stored.values()] };
    const execution = restoreExecution({ ...this.#execution, ...stored });
    const step = execution.advance([], this.#now);
    this.#isUnfinished = step.isUnfinished;
    this.#store(step);
    for (const action of step.actions) this.#act(action, execution);
    for (const action of step.reissued) {
      if (action.kind === 'start' && !this.#running.has(action.node))
        throw new Error(`${action.node} was never started`);
    }
    return execution;
  }

  #take(execution: Execution, observed: readonly Observation[]): void {
    const step = execution.advance(observed, this.#now);
    this.#isUnfinished = step.isUnfinished;
    this.#pending.unshift(...step.rest);
    for (const observation of observed) {
      if (step.rest.includes(observation)) continue;
      if (observation.kind !== 'ended' && observation.kind !== 'lost') continue;
      this.#running.delete(observation.node);
      this.#ending.delete(observation.node);
    }
    this.#store(step);
    this.#rejections.push(...step.rejections.map(({ message }) => message));
    for (const action of step.actions) this.#act(action, execution);
  }

  #store({ changed, status }: ReturnType<Execution['advance']>): void {
    for (const { node } of changed) this.#stored.set(node.name, structuredClone(node));
    if (status !== undefined) this.#status = structuredClone(status);
  }

  #act(action: Action, execution: Execution): void {
    switch (action.kind) {
      case 'start':
        this.#start(action);
        return;
      case 'kill':
        this.#kills.push(action.node);
        if (this.#running.has(action.node) && !this.#ending.has(action.node)) this.#end(action.node, { exitCode: 143 });
        return;
      case 'http':
        this.#pending.push({
          kind: 'response',
          node: action.node,
          ...(this.#options.respond?.(action.request.url) ?? { statusCode: 200, body: 'ok', headers: {} }),
        });
        return;
      case 'wakeAt':
        this.#wake = action.time;
        return;
      case 'acquire':
        if (!action.isHeld || !this.#locks.holds(action.holder)) this.#pending.push(...this.#locks.acquire(action));
        return;
      case 'release':
        this.#pending.push(...this.#locks.release(action.holder));
        return;
      case 'memoGet': {
        const outputs = this.#memo.get(`${action.cache}/${action.key}`);
        this.#pending.push({ kind: 'memo', node: action.node, ...(outputs && { outputs }) });
        return;
      }
      case 'memoPut':
        this.#memo.set(`${action.cache}/${action.key}`, action.outputs ?? {});
        return;
      default:
        throw new Error(`unknown action of ${execution.status.phase}`);
    }
  }

  #start(action: StartAction): void {
    if (this.#starts.some(({ node }) => node === action.node)) throw new Error(`${action.node} was started twice`);
    this.#starts.push(action);
    this.#running.set(action.node, action);
    this.#maxRunning = Math.max(this.#maxRunning, this.#running.size);
    const { template } = action;
    const { source = '' } = template.script ?? {};
    const text = source === '' ? (template.container?.args ?? []).join(' ') : source;
    if (text.startsWith('pend')) return;
    this.#pending.push({ kind: 'started', node: action.node, podIP: '10.0.0.1', hostNodeName: 'host' });
    this.#interpret(
      action.node,
      text.split(';').map(command => command.trim()),
    );
  }

  #interpret(node: string, commands: readonly string[]): void {
    const files = new Map<string, string>();
    let result = '';
    for (const command of commands) {
      const [name = '', ...words] = command.split(' ');
      if (name === 'hang') return;
      if (name === 'lost') return this.#lose(node, words.join(' ') || 'pod deleted');
      if (name === 'exit') return this.#end(node, { exitCode: Number(words[0]), result, files });
      if (name === 'oom') return this.#end(node, { exitCode: 137, isOutOfMemory: true });
      if (name === 'echo') result += `${words.join(' ')}\n`;
      if (name === 'write') files.set(words[0] ?? '', words.slice(1).join(' '));
    }
    this.#end(node, { exitCode: 0, result, files });
  }

  #lose(node: string, message: string): void {
    this.#ending.add(node);
    this.#pending.push({ kind: 'lost', node, message });
  }

  #end(
    node: string,
    end: { exitCode: number; result?: string; files?: Map<string, string>; isOutOfMemory?: boolean },
  ): void {
    const action = this.#running.get(node);
    this.#ending.add(node);
    const files = end.files ?? new Map<string, string>();
    const { parameters: outputs = [], artifacts = [] } = action?.template.outputs ?? {};
    const parameters = outputs.flatMap(({ name, valueFrom }) => {
      const content = files.get(valueFrom?.path ?? '');
      return content === undefined ? [] : [[name, content] as const];
    });
    const stored = artifacts.filter(({ path }) => files.has(path ?? ''));
    const containers = action?.template.containerSet === undefined ? undefined : containersOf(action);
    const ended: Ended = {
      kind: 'ended',
      node,
      exitCode: Object.values(containers ?? {}).find(code => code !== 0) ?? end.exitCode,
      parameters: Object.fromEntries(parameters),
      artifacts: stored.map(({ name, path }) => ({ name, s3: { key: `${node}/${name}` }, ...(path && { path }) })),
      ...(action?.captureResult === true && { result: end.result ?? '' }),
      ...(end.isOutOfMemory === true && { isOutOfMemory: true }),
      ...(containers && { containers }),
    };
    this.#pending.push(ended);
  }
}

/** The containers of a set do what their args say: `exit N`. Those after one that failed end as Argo's executor does. */
function containersOf({ template }: StartAction): Record<string, number> {
  const codes: Record<string, number> = {};
  for (const { name, args = [], dependencies = [] } of template.containerSet?.containers ?? []) {
    const [, code = '0'] = /exit (\d+)/.exec(args.join(' ')) ?? [];
    codes[name] = dependencies.some(before => codes[before] !== 0) ? 64 : Number(code);
  }
  return codes;
}

/** One line for each node: name without the workflow's, type, phase, message. */
export const treeOf = ({ nodes }: Simulated): string[] =>
  nodes.map(({ name, type, phase, message }) =>
    [name, type, phase, ...(message === undefined ? [] : [message])].join(' | '),
  );
