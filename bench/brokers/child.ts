import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';

/** A process that does one job at a time and answers each with a message. It ends with us. */
export class Child implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(file: string) {
    this.#child = fork(join(import.meta.dirname, file), { execArgv: [] });
  }

  /** Rejects with what the job failed with. */
  run<Result>(job: object): Promise<Result> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const onEnd = (): void => reject(new ChandleryError('LoadFailed', 'the load process ended by itself'));
      child.once('exit', onEnd);
      child.once('message', ({ result, failure }: { result?: unknown; failure?: string }) => {
        child.off('exit', onEnd);
        if (failure === undefined) resolve(result as Result);
        else reject(new ChandleryError('LoadFailed', failure));
      });
      child.send(job);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}
