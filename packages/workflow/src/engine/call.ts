import type { Template } from '../document/template.ts';
import { messageOf } from '../errors.ts';
import { plainText } from '../template/inert.ts';
import type { TemplateContext } from '../template/template-context.ts';
import { bindCall } from './bind-call.ts';
import type { Body, BodyOwner } from './body.ts';
import type { CallOptions } from './call-options.ts';
import { LockWait, locksOf, pendingTimeoutMs } from './lock-wait.ts';
import { memoHit, putMemo, requestMemo } from './memo.ts';
import { isFulfilled, type NodeStatus } from './node-status.ts';
import { nodeTypeOf } from './node-type.ts';
import { RetryBody } from './retry-body.ts';

const displayNameAnnotation = 'workflows.argoproj.io/display-name';
const maxDepth = 100;
const depthMessage =
  'Maximum recursion depth exceeded. See https://argo-workflows.readthedocs.io/en/latest/scaling/#maximum-recursion-depth';

/** Executes a template under a node name: waits for limits and locks, looks into the cache, then runs the body. */
export class Call implements BodyOwner {
  readonly name: string;
  readonly options: CallOptions;
  #template: Template | undefined;
  #body: Body | undefined;
  #innerContext: TemplateContext;
  #locks: LockWait | undefined;
  #isUnlocked = false;

  constructor(options: CallOptions) {
    this.name = options.name;
    this.options = options;
    this.#innerContext = options.context;
  }

  get node(): NodeStatus | undefined {
    return this.options.core.nodes.get(this.name);
  }

  enter(): void {
    const { core, owner, depth } = this.options;
    const stored = this.node;
    if (stored !== undefined && isFulfilled(stored) && stored.daemoned !== true) {
      return core.enqueue(() => owner.childChanged(this));
    }
    if (depth >= maxDepth) {
      this.#markError(depthMessage);
      return core.enqueue(() => owner.childChanged(this));
    }
    try {
      const { template, context } = bindCall(this.options, this.node);
      this.#innerContext = context;
      this.#template = template;
    } catch (error) {
      return this.#fail(messageOf(error));
    }
    this.retryEntry();
  }

  get boundary(): string | undefined {
    return this.options.boundary;
  }

  /** Tries to start once a limit may allow it. */
  readonly retryEntry = (): void => {
    const { core } = this.options;
    const boundary = this.boundary === undefined ? undefined : core.nodes.get(this.boundary);
    if (boundary !== undefined && isFulfilled(boundary)) return;
    if (this.node !== undefined) return this.#lock();
    core.begin(() => {
      if (core.limits.admit(this)) this.#lock();
    });
  };

  readonly bodyChanged = (node: NodeStatus): void => {
    const { core, owner } = this.options;
    this.#showName(node);
    if (isFulfilled(node) && node.daemoned !== true) {
      this.#locks?.release();
      if (node.phase === 'Succeeded') putMemo(core, node);
      this.#freeSlots();
    }
    owner.childChanged(this);
  };

  readonly bodyErrored = (_node: NodeStatus, message: string): void => {
    this.#locks?.release();
    this.#freeSlots();
    this.options.owner.childErrored(this, message);
  };

  /** Gives the node the name that its template asks for. */
  #showName(node: NodeStatus): void {
    const displayName = this.#template?.metadata?.annotations?.[displayNameAnnotation] ?? '';
    if (displayName === '' || displayName === node.displayName) return;
    this.options.core.nodes.update(node, changed => {
      changed.displayName = plainText(displayName);
    });
  }

  /** Lets those try that waited for this one. */
  #freeSlots(): void {
    const { core, boundary } = this.options;
    for (const waiter of core.limits.takeReady(boundary)) {
      core.enqueue(() => {
        waiter.retryEntry();
        this.#freeSlots();
      });
    }
  }

  #lock(): void {
    const { core } = this.options;
    const synchronization = this.#template?.synchronization;
    const locks = synchronization === undefined ? [] : locksOf(synchronization, core.identity.namespace);
    if (locks.length === 0) return this.#memoize();
    this.#locks = new LockWait({
      core,
      holder: `${core.identity.namespace}/${core.name}/${this.name}`,
      locks,
      isExitHandler: this.options.isExitHandler,
      isHeld: this.node !== undefined && this.node.synchronizationStatus?.waiting === undefined,
      openNode: message => this.#openWaiting(message),
      findNode: () => this.node,
      timeoutMs: pendingTimeoutMs(this.#template ?? {}),
      granted: isHeld => {
        this.#isUnlocked = !isHeld;
        this.#memoize();
      },
      failed: (phase, message) => this.#failWaiting(phase, message),
    });
    this.#locks.request();
  }

  #openPending(message: string): NodeStatus {
    const { core } = this.options;
    return this.node ?? core.nodes.create({ ...this.#nodeFields(), type: this.#nodeType(), phase: 'Pending', message });
  }

  #openWaiting(message: string): NodeStatus {
    const { core, owner } = this.options;
    if (this.node === undefined) core.enqueue(() => owner.childChanged(this));
    return this.#openPending(message);
  }

  #failWaiting(phase: 'Failed' | 'Error', message: string): void {
    const { core, owner } = this.options;
    if (phase === 'Error') return this.#fail(message);
    core.nodes.mark(this.#openPending(message), 'Failed', message);
    this.#freeSlots();
    core.enqueue(() => owner.childChanged(this));
  }

  #memoize(): void {
    const { core } = this.options;
    const memoize = this.#template?.memoize;
    if (memoize === undefined || (this.node !== undefined && this.node.memoizationStatus !== undefined))
      return this.#run();
    try {
      requestMemo(core, this.name, memoize, this.options.isExitHandler, outputs => {
        const node = this.#openPending('');
        this.#isUnlocked = true;
        memoHit(core, node, memoize, outputs);
        if (outputs === undefined) return this.#run();
        core.enqueue(() => this.bodyChanged(node));
      });
    } catch (error) {
      this.#fail(messageOf(error));
    }
  }

  #run(): void {
    const { core, holder, context, boundary, flag, isExitHandler, depth, captureResult, createBody } = this.options;
    const template = this.#template;
    if (template === undefined) return;
    const strategy = core.retryStrategyOf(template);
    const options = {
      core,
      name: this.name,
      template,
      holder,
      context: this.#innerContext,
      templateScope: context.scope,
      boundary,
      flag,
      isExitHandler,
      depth,
      attempt: 0,
      executionDeadline: undefined,
      captureResult,
      isUnlocked: this.#isUnlocked,
      owner: this,
    };
    try {
      this.#body = strategy === undefined ? createBody(options) : new RetryBody(options, strategy, createBody);
    } catch (error) {
      return this.#fail(messageOf(error));
    }
    this.#body.start();
  }

  #fail(message: string): void {
    const { core, owner } = this.options;
    this.#markError(message);
    this.#locks?.release();
    this.#freeSlots();
    core.enqueue(() => owner.childErrored(this, message));
  }

  #markError(message: string): void {
    const { core } = this.options;
    const node = this.node;
    if (node === undefined)
      core.nodes.create({ ...this.#nodeFields(), inputs: undefined, type: 'Skipped', phase: 'Error', message });
    else core.nodes.mark(node, 'Error', message);
  }

  #nodeFields() {
    const { holder, context, boundary, flag } = this.options;
    return { name: this.name, holder, templateScope: context.scope, boundary, flag, inputs: this.#template?.inputs };
  }

  #nodeType(): NodeStatus['type'] {
    const { core } = this.options;
    const template = this.#template ?? {};
    return core.retryStrategyOf(template) === undefined ? nodeTypeOf(template) : 'Retry';
  }
}
