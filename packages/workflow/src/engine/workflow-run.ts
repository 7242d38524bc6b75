import type { LifecycleHook } from '../document/template.ts';
import { messageOf, WorkflowError } from '../errors.ts';
import { evaluateCondition } from '../template/expression-tag.ts';
import { Call } from './call.ts';
import type { CallOwner } from './call-options.ts';
import type { Core } from './core.ts';
import { createBody } from './create-body.ts';
import { exitHook, lifecycleHooks } from './hooks.ts';
import { LockWait, locksOf } from './lock-wait.ts';
import {
  isFailed,
  isFulfilled,
  isTimedOut,
  type NodePhase,
  type NodeStatus,
  timeoutMessage,
  type WorkflowPhase,
  type WorkflowStatus,
} from './node-status.ts';

/** Phases of the workflow by those of its root. */
const phases: Readonly<Record<NodePhase, WorkflowPhase>> = {
  Pending: 'Pending',
  Running: 'Running',
  Succeeded: 'Succeeded',
  Skipped: 'Succeeded',
  Omitted: 'Succeeded',
  Failed: 'Failed',
  Error: 'Error',
};

/** The workflow as a whole: its lock, entrypoint, hooks, exit handler and end. */
export class WorkflowRun implements CallOwner {
  readonly #core: Core;
  readonly status: WorkflowStatus;
  readonly #hooks = new Map<string, Call>();
  #root: Call | undefined;
  #exit: Call | undefined;
  #isExitDecided = false;
  #locks: LockWait | undefined;

  constructor(core: Core, status: WorkflowStatus) {
    this.#core = core;
    this.status = status;
  }

  get isCompleted(): boolean {
    return this.status.phase === 'Succeeded' || this.status.phase === 'Failed' || this.status.phase === 'Error';
  }

  /** Starts the workflow, or takes it up again. */
  begin(): void {
    const core = this.#core;
    if (this.isCompleted) return;
    const { synchronization } = core.spec;
    const locks = synchronization === undefined ? [] : locksOf(synchronization, core.identity.namespace);
    if (locks.length === 0) return this.#run();
    this.#locks = new LockWait({
      core,
      holder: `${core.identity.namespace}/${core.name}`,
      locks,
      isExitHandler: false,
      isHeld: this.status.phase === 'Running',
      openNode: message => this.#wait(message),
      findNode: () => undefined,
      timeoutMs: undefined,
      granted: () => this.#run(),
      failed: (phase, message) =>
        this.#complete(
          'Failed',
          phase === 'Error' ? `Failed to acquire the synchronization lock. ${message}` : message,
        ),
    });
    this.#locks.request();
  }

  /** Ends with a phase that no node has. */
  fail(phase: 'Failed' | 'Error', message: string): void {
    this.#complete(phase, message);
  }

  readonly childChanged = (call: Call): void => {
    if (this.isCompleted) return;
    const root = this.#root?.node;
    if (root === undefined) return;
    const isHook = call !== this.#root && call !== this.#exit;
    if (isHook && call.node !== undefined) this.#core.nodes.addChild(root, call.node);
    if (isTimedOut(root)) return this.#complete('Error', `error in entry template execution: ${timeoutMessage}`);
    this.#update(root);
  };

  readonly childErrored = (call: Call, message: string): void => {
    if (this.isCompleted) return;
    if (call === this.#root) return this.#complete('Error', `error in entry template execution: ${message}`);
    if (call === this.#exit) return this.#complete('Error', `error in exit template execution : ${message}`);
    const root = this.#root?.node;
    if (root === undefined) return;
    if (call.node !== undefined) this.#core.nodes.addChild(root, call.node);
    this.#core.nodes.mark(root, 'Error', message);
    this.#update(root);
  };

  /** Shows that the workflow waits for its lock. There is no node to show it on. */
  #wait(message: string): NodeStatus {
    this.status.phase = 'Pending';
    this.status.message = message;
    const startedAt = new Date(this.#core.now).toISOString();
    return { id: '', name: '', displayName: '', type: 'Skipped', phase: 'Pending', startedAt };
  }

  #run(): void {
    const core = this.#core;
    const { status } = this;
    status.phase = 'Running';
    delete status.message;
    status.startedAt ??= new Date(core.now).toISOString();
    core.scope.startedAt = Date.parse(status.startedAt);
    core.scope.status = 'Running';
    this.#setDeadline(core.scope.startedAt);
    this.#root = this.#call(core.name, { template: core.spec.entrypoint ?? '', arguments: core.spec.arguments ?? {} });
    this.#root.enter();
  }

  #setDeadline(startedAt: number): void {
    const core = this.#core;
    const seconds = core.spec.activeDeadlineSeconds;
    if (seconds === undefined) return;
    core.deadline = Math.floor(startedAt / 1000) * 1000 + seconds * 1000;
    core.timers.set('workflow', core.deadline, () => {
      for (const receiver of [...core.receivers.values()]) if (!receiver.isExitHandler) receiver.abort?.('deadline');
    });
  }

  #update(root: NodeStatus): void {
    const core = this.#core;
    core.scope.status = phases[root.phase];
    this.#updateHooks(root);
    if (!isFulfilled(root) || !this.#areDone(this.#hooks.values())) return;
    if (!this.#isExitDecided) {
      this.#isExitDecided = true;
      return core.begin(() => this.#startExit(root));
    }
    if (this.#exit === undefined || this.#areDone([this.#exit])) this.#end(root);
  }

  #updateHooks(root: NodeStatus): void {
    const core = this.#core;
    for (const [name, hook] of Object.entries(lifecycleHooks({ name: '', hooks: core.spec.hooks ?? {} }))) {
      if (this.#hooks.has(name)) continue;
      try {
        if (this.#isHookDue(name, hook)) this.#startHook(name, hook);
      } catch (error) {
        core.nodes.mark(root, 'Error', messageOf(error));
        core.scope.status = 'Error';
      }
    }
  }

  #isHookDue(name: string, { expression = '' }: LifecycleHook): boolean {
    const core = this.#core;
    const node = `${core.name}.hooks.${name}`;
    if (expression === '') throw new WorkflowError('invalid-document', `Expression required for hook ${node}`);
    return core.nodes.get(node) !== undefined || evaluateCondition(expression, core.scope);
  }

  #startHook(name: string, hook: LifecycleHook): void {
    const call = this.#call(`${this.#core.name}.hooks.${name}`, hook, { hooked: true });
    this.#hooks.set(name, call);
    call.enter();
  }

  #startExit(root: NodeStatus): void {
    const core = this.#core;
    const { onExit, hooks, arguments: workflowArguments } = core.spec;
    const exit = exitHook({ ...(hooks && { hooks }), ...(onExit !== undefined && { onExit }) }, workflowArguments);
    const isStored = core.nodes.get(`${core.name}.onExit`) !== undefined;
    if (exit === undefined || (!isStored && !core.mayExecute(true))) return this.#end(root);
    this.#exit = this.#call(`${core.name}.onExit`, exit, { hooked: true }, true);
    this.#exit.enter();
  }

  #areDone(calls: Iterable<Call>): boolean {
    return [...calls].every(({ node }) => node !== undefined && isFulfilled(node));
  }

  #call(name: string, hook: LifecycleHook, flag?: NodeStatus['nodeFlag'], isExitHandler = false): Call {
    const core = this.#core;
    return new Call({
      core,
      name,
      holder: { template: hook.template, templateRef: hook.templateRef },
      label: ['steps.name', ''],
      context: core.context,
      arguments: hook.arguments ?? {},
      boundary: undefined,
      ...(flag !== undefined && { flag }),
      isExitHandler,
      depth: 1,
      captureResult: false,
      owner: this,
      createBody,
    });
  }

  #end(root: NodeStatus): void {
    const { shutdown } = this.#core;
    const exit = this.#exit?.node;
    const phase = phases[root.phase];
    if (phase === 'Succeeded' && exit !== undefined && isFailed(exit)) {
      return this.#complete(exit.phase === 'Failed' ? 'Failed' : 'Error', exit.message);
    }
    const isStopped = isFailed(root) && shutdown !== undefined;
    const message = isStopped ? `Stopped with strategy '${shutdown}'` : root.message;
    this.#complete(phase, phase === 'Succeeded' ? undefined : message);
  }

  #complete(phase: WorkflowPhase, message: string | undefined): void {
    const core = this.#core;
    const { status } = this;
    status.phase = phase;
    if (message === undefined || message === '') delete status.message;
    else status.message = message;
    status.finishedAt = new Date(core.now).toISOString();
    status.startedAt ??= status.finishedAt;
    core.timers.clear('workflow');
    core.stopDaemons('');
    this.#locks?.release();
    for (const receiver of [...core.receivers.values()]) receiver.kill?.('the workflow ended');
  }
}
