import { messageOf } from '../errors.ts';
import { compileExpression, evaluateExpression } from '../expressions/index.ts';
import { plainValue } from '../template/inert.ts';
import { type Body, type BodyOptions, openNode } from './body.ts';
import { isFulfilled, type NodePhase } from './node-status.ts';
import type { HttpResponse, Observation } from './observations.ts';
import { stepDeadlineMessage } from './pod-body.ts';

/** Sends a request; the result is the body of the response. */
export class HttpBody implements Body {
  readonly isExitHandler: boolean;
  readonly #options: BodyOptions;

  constructor(options: BodyOptions) {
    this.#options = options;
    this.isExitHandler = options.isExitHandler;
  }

  start(): void {
    const { core, name, template, owner } = this.#options;
    const isNew = core.nodes.get(name) === undefined || this.#options.isUnlocked;
    const node = openNode(this.#options, 'HTTP', 'Pending');
    if (isFulfilled(node)) return core.enqueue(() => owner.bodyChanged(node));
    core.receivers.set(name, this);
    core.enqueue(() => owner.bodyChanged(node));
    if (!core.mayExecute(this.isExitHandler)) return this.abort('shutdown');
    if (core.isPastDeadline() && !this.isExitHandler) return this.abort('deadline');
    if (template.http === undefined) return;
    const action = { kind: 'http', node: name, request: plainValue(template.http) } as const;
    if (isNew) core.act(action);
    else core.reissue(action);
  }

  readonly observe = (observation: Observation): void => {
    if (observation.kind === 'response') this.#respond(observation);
    else if (observation.kind === 'noResponse') this.#end('Error', observation.message);
    else if (observation.kind === 'lost') this.#end('Error', observation.message);
  };

  readonly abort = (cause: 'shutdown' | 'deadline'): void => {
    const { core } = this.#options;
    this.#end('Failed', cause === 'shutdown' ? `Stopped with strategy '${core.shutdown ?? ''}'` : stepDeadlineMessage);
  };

  #respond(response: HttpResponse): void {
    const { core, name } = this.#options;
    const node = core.nodes.get(name);
    if (node !== undefined) node.outputs = { result: response.body };
    try {
      const failure = this.#failureOf(response);
      if (failure === undefined) this.#end('Succeeded');
      else this.#end('Failed', failure);
    } catch (error) {
      this.#end('Error', messageOf(error));
    }
  }

  #failureOf({ statusCode, body, headers }: HttpResponse): string | undefined {
    const condition = this.#options.template.http?.successCondition;
    if (condition === undefined || condition === '') {
      return statusCode >= 200 && statusCode < 300 ? undefined : `received non-2xx response code: ${statusCode}`;
    }
    const lists = Object.fromEntries(Object.entries(headers).map(([key, values]) => [key, [...values]]));
    const environment = { response: { statusCode: BigInt(statusCode), body, headers: lists } };
    const isSuccess = evaluateExpression(compileExpression(condition), environment) === true;
    return isSuccess ? undefined : `successCondition '${condition}' evaluated false`;
  }

  #end(phase: NodePhase, message?: string): void {
    const { core, name, owner } = this.#options;
    const node = core.nodes.get(name);
    if (node === undefined || isFulfilled(node)) return;
    core.nodes.mark(node, phase, message);
    core.receivers.delete(name);
    core.enqueue(() => owner.bodyChanged(node));
  }
}
