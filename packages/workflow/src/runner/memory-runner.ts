import type { Ended } from '../engine/observations.ts';
import type { Runner, RunReport, RunRequest } from './runner.ts';

/** How the containers of a node end; undefined when they run until they are killed. */
export type Behaviour = (request: RunRequest) => Omit<Ended, 'kind' | 'node'> | undefined;

const exitCodeOfTerm = 143;

/** Runs nothing: a function says how each node ends. For tests and dry runs. */
export class MemoryRunner implements Runner {
  readonly #behave: Behaviour;
  readonly #running = new Map<string, (report: RunReport) => void>();

  constructor(behave: Behaviour = () => ({ exitCode: 0 })) {
    this.#behave = behave;
  }

  start(request: RunRequest, report: (report: RunReport) => void): void {
    const { node } = request.action;
    this.#running.set(node, report);
    queueMicrotask(() => {
      if (!this.#running.has(node)) return;
      report({ kind: 'started', node });
      const end = this.#behave(request);
      if (end !== undefined) this.#end(node, end);
    });
  }

  kill(node: string, _graceSeconds: number): void {
    queueMicrotask(() => this.#end(node, { exitCode: exitCodeOfTerm }));
  }

  close(): Promise<void> {
    for (const node of [...this.#running.keys()]) this.#end(node, { exitCode: exitCodeOfTerm });
    return Promise.resolve();
  }

  #end(node: string, end: Omit<Ended, 'kind' | 'node'>): void {
    const report = this.#running.get(node);
    this.#running.delete(node);
    report?.({ kind: 'ended', node, ...end });
  }
}
