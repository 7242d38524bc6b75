import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '@chandlery/testing';

export interface CallLoadOptions {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Calls at the same time. */
  readonly concurrency: number;
  /** Whether each call makes a connection of its own. Default: connections are kept. */
  readonly isEachConnected?: boolean;
  /** Between two calls of a worker, where many calls say no more than a few hundred a second. Default: 0. */
  readonly pauseMs?: number;
}

/** Calls without end until disposed of, as fast as responses arrive or with pauses. */
export class CallLoad implements AsyncDisposable {
  readonly #agent: Agent;
  readonly #options: CallLoadOptions;
  readonly #workers: readonly Promise<void>[];
  readonly #failures = new Map<string, number>();
  #calls = 0;
  #succeededInARow = 0;
  #isStopped = false;

  constructor(options: CallLoadOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: options.isEachConnected !== true, maxSockets: options.concurrency });
    this.#workers = Array.from({ length: options.concurrency }, () => this.#work());
  }

  get calls(): number {
    return this.#calls;
  }

  get failed(): number {
    return [...this.#failures.values()].reduce((sum, count) => sum + count, 0);
  }

  /** What went wrong and how often, for people. */
  get failures(): string {
    return JSON.stringify(Object.fromEntries(this.#failures));
  }

  /** Waits for so many more calls. */
  async more(calls: number): Promise<void> {
    const wanted = this.#calls + calls;
    await eventually(() => this.#calls >= wanted, { timeoutMs: 240_000, pauseMs: 50, what: `${wanted} calls` });
  }

  /** Waits until so many calls from now on have succeeded in a row. */
  async successes(inARow: number): Promise<void> {
    this.#succeededInARow = 0;
    await eventually(() => this.#succeededInARow >= inARow, {
      timeoutMs: 240_000,
      pauseMs: 5,
      what: `${inARow} calls in a row to succeed, after ${this.failures}`,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#workers);
    this.#agent.destroy();
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      const outcome = await this.#call();
      this.#calls += 1;
      this.#succeededInARow = outcome === '200' ? this.#succeededInARow + 1 : 0;
      if (outcome !== '200') this.#failures.set(outcome, (this.#failures.get(outcome) ?? 0) + 1);
      const { pauseMs = 0 } = this.#options;
      if (pauseMs > 0) await setTimeout(pauseMs);
    }
  }

  /** The status, or the code of the error. */
  #call(): Promise<string> {
    const { host, port, path } = this.#options;
    return new Promise(resolve => {
      const asked = request({ host, port, path, agent: this.#agent, timeout: 20_000 }, answer => {
        answer.once('end', () => resolve(String(answer.statusCode)));
        answer.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        answer.resume();
      });
      asked.once('timeout', () => asked.destroy(new Error('no answer')));
      asked.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      asked.end();
    });
  }
}
