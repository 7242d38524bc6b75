import type { IncomingMessage, ServerResponse } from 'node:http';
import { PacedResponse } from '../paced-response.ts';
import { BodyBudget, type BodyBudgetLimits } from './body-budget.ts';
import { hasBody, readBody } from './read-body.ts';

/** Reads the bodies of requests within the budgets of the host. */
export class RequestBodies {
  readonly #budget: BodyBudget;

  constructor(limits: BodyBudgetLimits) {
    this.#budget = new BodyBudget(limits);
  }

  /**
   * Reads the body of a request; undefined when it has none. To be called once the client is known and may make the
   * request: nothing of a body is read before. Its share of the budget is given back when the response is done.
   */
  async read(request: IncomingMessage, response: ServerResponse, limitBytes: number): Promise<Buffer | undefined> {
    if (!hasBody(request)) return undefined;
    const identity = (response instanceof PacedResponse ? response.identity : undefined) ?? '';
    const length = request.headers['content-length'];
    const known = length === undefined ? undefined : Math.min(Number(length), limitBytes);
    const givenUp = new AbortController();
    const share = this.#budget.take(identity, known ?? 0, reason => givenUp.abort(reason));
    response.once('close', () => share.release());
    if (request.socket.destroyed) share.release();
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
    const onReceived = (bytes: number): void => {
      if (known === undefined) share.grow(bytes);
    };
    const body = await readBody(request, limitBytes, { signal: givenUp.signal, onReceived });
    share.received();
    return body;
  }
}
