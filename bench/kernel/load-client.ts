import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import type { FanOutResult, LoadJob, RequestsJob, RequestsResult } from './load-job.ts';
import type { BenchServer } from './server.ts';

/** What a run of requests cost, on both sides. */
export interface Requests extends RequestsResult {
  readonly perSecond: number;
  readonly serverCpuMs: number;
}

/** The load process, from the outside. It ends with us. */
export class LoadClient implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #server: BenchServer;

  private constructor(child: ChildProcess, server: BenchServer) {
    this.#child = child;
    this.#server = server;
  }

  static async start(server: BenchServer): Promise<LoadClient> {
    const { url, token, ca } = server;
    const child = fork(join(import.meta.dirname, 'load-process.ts'), [JSON.stringify({ url, token, ca })], {
      execArgv: [],
    });
    await answerOf(child);
    return new LoadClient(child, server);
  }

  async requests(job: Omit<RequestsJob, 'type'>): Promise<Requests> {
    const before = await this.#server.cpuSeconds();
    const result = (await this.#run({ type: 'requests', ...job })) as RequestsResult;
    const serverCpuMs = (((await this.#server.cpuSeconds()) - before) * 1000) / result.count;
    return { ...result, perSecond: result.count / result.seconds, serverCpuMs };
  }

  async openWatchers(count: number): Promise<void> {
    await this.#run({ type: 'openWatchers', count });
  }

  fanOut(changes: number, connections: number): Promise<FanOutResult> {
    return this.#run({ type: 'fanOut', changes, connections }) as Promise<FanOutResult>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  async #run(job: LoadJob): Promise<unknown> {
    const answer = answerOf(this.#child);
    this.#child.send(job);
    return answer;
  }
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onEnd = (): void => reject(new ChandleryError('LoadFailed', 'the load process ended by itself'));
    child.once('exit', onEnd);
    child.once('message', ({ result, failure }: { result?: unknown; failure?: string }) => {
      child.off('exit', onEnd);
      if (failure === undefined) resolve(result);
      else reject(new ChandleryError('LoadFailed', failure));
    });
  });
}
