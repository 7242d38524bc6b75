import { podNameOf } from '../document/node-ids.ts';
import type { RetryStrategy, Template } from '../document/template.ts';
import { messageOf } from '../errors.ts';
import { substituteTemplate } from '../template/bind-arguments.ts';
import { layerScopes, mapScope, type Scope } from '../template/scope.ts';
import { type Body, type BodyOptions, type BodyOwner, openNode } from './body.ts';
import { isFailed, isFulfilled, type NodeStatus } from './node-status.ts';
import { decideRetry, retriesErrors, retryDeadline } from './retry-decision.ts';

export type CreateBody = (options: BodyOptions) => Body;

/** Executes a template again when it failed, as its retryStrategy says. Attempts are nodes `<name>(<n>)`. */
export class RetryBody implements Body, BodyOwner {
  readonly #options: BodyOptions;
  readonly #strategy: RetryStrategy;
  readonly #createBody: CreateBody;
  readonly #attempts: NodeStatus[] = [];
  #isWaiting = false;

  constructor(options: BodyOptions, strategy: RetryStrategy, createBody: CreateBody) {
    this.#options = options;
    this.#strategy = strategy;
    this.#createBody = createBody;
  }

  start(): void {
    const { core, owner } = this.#options;
    const node = openNode(this.#options, 'Retry', 'Running');
    if (node.phase === 'Pending') core.nodes.mark(node, 'Running');
    if (isFulfilled(node) && node.daemoned !== true) return core.enqueue(() => owner.bodyChanged(node));
    this.#loadAttempts();
    core.enqueue(() => owner.bodyChanged(node));
    const last = this.#attempts.at(-1);
    if (last === undefined || !isFulfilled(last) || last.daemoned === true) this.#attempt();
    else this.#consider();
  }

  readonly bodyChanged = (attempt: NodeStatus): void => {
    const { core, owner } = this.#options;
    const node = this.#node();
    if (node === undefined || attempt !== this.#attempts.at(-1)) return;
    if (attempt.daemoned === true && node.daemoned !== true) {
      core.nodes.update(node, changed => {
        changed.daemoned = true;
      });
      core.addDaemon(node);
      owner.bodyChanged(node);
    } else if (isFulfilled(attempt) && attempt.daemoned !== true) this.#consider();
  };

  readonly bodyErrored = (attempt: NodeStatus, message: string): void => {
    const { core, owner } = this.#options;
    const node = this.#node();
    if (node === undefined || isFulfilled(node)) return;
    if (retriesErrors(this.#strategy)) return this.bodyChanged(attempt);
    core.nodes.mark(node, 'Error', message);
    owner.bodyErrored(node, message);
  };

  #node(): NodeStatus | undefined {
    return this.#options.core.nodes.get(this.#options.name);
  }

  #loadAttempts(): void {
    const { core, name } = this.#options;
    for (let at = 0; ; at++) {
      const attempt = core.nodes.get(`${name}(${at})`);
      if (attempt === undefined) return;
      this.#attempts.push(attempt);
    }
  }

  /** Decides what follows an attempt that has ended. */
  #consider(): void {
    const last = this.#attempts.at(-1);
    if (last === undefined || this.#isWaiting) return;
    if (!isFailed(last)) return this.#end('Succeeded', '', last);
    const stopMessage = this.#stopMessage();
    if (stopMessage !== undefined) return this.#end(last.phase, stopMessage, last);
    try {
      this.#follow(last);
    } catch (error) {
      this.#error(messageOf(error));
    }
  }

  #follow(last: NodeStatus): void {
    const { core, name } = this.#options;
    const facts = { strategy: this.#strategy, attempts: this.#attempts, now: core.now, scope: this.#scope('-1') };
    const decision = decideRetry(facts);
    const node = this.#node();
    if (node === undefined) return;
    if (decision.kind === 'stop') return this.#end(last.phase, decision.message, last);
    core.nodes.mark(node, node.phase, decision.kind === 'wait' ? decision.message : '');
    if (decision.kind === 'again') return core.begin(() => this.#attempt());
    this.#isWaiting = true;
    core.timers.set(`retry:${name}`, decision.until, () => {
      this.#isWaiting = false;
      core.enqueue(() => this.#consider());
    });
    core.receivers.set(name, {
      isExitHandler: this.#options.isExitHandler,
      observe: () => undefined,
      abort: () => {
        core.timers.clear(`retry:${name}`);
        core.receivers.delete(name);
        this.#isWaiting = false;
        core.enqueue(() => this.#consider());
      },
    });
  }

  #stopMessage(): string | undefined {
    const { core } = this.#options;
    if (core.shutdown !== undefined) return `Stopped with strategy '${core.shutdown}'`;
    if (!core.isPastDeadline()) return undefined;
    const time = new Date(core.deadline ?? 0).toISOString().slice(0, 19).replace('T', ' ');
    return `retry exceeded workflow deadline ${time} +0000 UTC`;
  }

  #attempt(): void {
    const { core, name, flag } = this.#options;
    core.receivers.delete(name);
    const last = this.#attempts.at(-1);
    const isOpen = last !== undefined && (!isFulfilled(last) || last.daemoned === true);
    const attempt = isOpen ? this.#attempts.length - 1 : this.#attempts.length;
    const attemptName = `${name}(${attempt})`;
    const template = this.#templateFor(attemptName, attempt, isOpen ? this.#attempts.at(-2) : last);
    if (template === undefined) return;
    const body = this.#createBody({
      ...this.#options,
      name: attemptName,
      template,
      attempt,
      flag: { ...flag, retried: true },
      isUnlocked: false,
      executionDeadline: attempt === 0 ? undefined : retryDeadline(this.#strategy, this.#attempts[0]),
      owner: this,
    });
    body.start();
    this.#adopt(attemptName, isOpen);
  }

  #adopt(attemptName: string, isKnown: boolean): void {
    const { core } = this.#options;
    const node = this.#node();
    const attempt = core.nodes.get(attemptName);
    if (node === undefined || attempt === undefined) return;
    if (!isKnown) this.#attempts.push(attempt);
    core.nodes.addChild(node, attempt);
  }

  #templateFor(name: string, attempt: number, previous: NodeStatus | undefined): Template | undefined {
    const { core, template } = this.#options;
    const local = new Map([
      ['pod.name', podNameOf(core.name, name, template.name)],
      ['retries', String(attempt)],
      ...lastRetryValues(previous, '0'),
    ]);
    try {
      return substituteTemplate(template, layerScopes(mapScope(local), core.scope));
    } catch (error) {
      this.#error(messageOf(error));
      return undefined;
    }
  }

  /** What the expression of the strategy sees. */
  #scope(noExitCode: string): Scope {
    const retries = String(this.#attempts.length - 1);
    return mapScope(new Map([['retries', retries], ...lastRetryValues(this.#attempts.at(-1), noExitCode)]));
  }

  #end(phase: NodeStatus['phase'], message: string, last: NodeStatus): void {
    const { core, owner } = this.#options;
    const node = this.#node();
    if (node === undefined) return;
    core.nodes.update(node, changed => {
      delete changed.daemoned;
      if (last.outputs !== undefined) changed.outputs = structuredClone(last.outputs);
    });
    core.nodes.mark(node, phase, message);
    core.enqueue(() => owner.bodyChanged(node));
  }

  #error(message: string): void {
    const { core, owner } = this.#options;
    const node = this.#node();
    if (node === undefined) return;
    core.nodes.mark(node, 'Error', message);
    core.enqueue(() => owner.bodyErrored(node, message));
  }
}

function lastRetryValues(last: NodeStatus | undefined, noExitCode: string): [string, string][] {
  const seconds = last?.finishedAt === undefined ? 0 : wholeSeconds(last.finishedAt) - wholeSeconds(last.startedAt);
  return [
    ['lastRetry.exitCode', last?.outputs?.exitCode ?? noExitCode],
    ['lastRetry.status', last?.phase ?? ''],
    ['lastRetry.duration', String(seconds)],
    ['lastRetry.message', last?.message ?? ''],
  ];
}

/** Argo stores times without fractions, so that durations are integers. */
const wholeSeconds = (time: string): number => Math.floor(Date.parse(time) / 1000);
