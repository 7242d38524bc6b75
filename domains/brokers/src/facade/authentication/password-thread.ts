import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '@chandlery/platform';
import { smError } from '../../errors.ts';

/** What the thread is asked. */
export interface PasswordRequest {
  readonly ticket: number;
  readonly password: string;
  readonly hash: string;
}

/** What it answers. */
export interface PasswordReply {
  readonly ticket: number;
  readonly isSame: boolean;
}

/** Whether a password belongs to a slow hash. Rejects only when that cannot be found out now. */
export type ComparePassword = (password: string, hash: string) => Promise<boolean>;

/**
 * Compares passwords in a thread of its own: after a restart all platforms come back at once, and each comparison takes
 * the time of hundreds of other requests. The thread is started when it is first needed, and again when it has died.
 */
export class PasswordThread implements AsyncDisposable {
  readonly #waiting = new Map<number, PromiseWithResolvers<boolean>>();
  #worker: Worker | undefined;
  #nextTicket = 0;

  readonly compare: ComparePassword = (password, hash) => {
    this.#worker ??= this.#start();
    const question: PasswordRequest = { ticket: this.#nextTicket++, password, hash };
    const waiting = Promise.withResolvers<boolean>();
    this.#waiting.set(question.ticket, waiting);
    // The thread keeps the process alive only while a comparison is pending.
    this.#worker.ref();
    this.#worker.postMessage(question);
    return waiting.promise;
  };

  /** Stops the thread. Pending comparisons reject. */
  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#lose(worker);
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./password-worker.ts', import.meta.url), { env: threadEnvironment() });
    worker.on('message', (response: PasswordReply) => this.#settle(response));
    worker.on('error', cause => this.#lose(worker, cause));
    worker.on('exit', () => this.#lose(worker));
    return worker;
  }

  #settle({ ticket, isSame }: PasswordReply): void {
    this.#waiting.get(ticket)?.resolve(isSame);
    this.#waiting.delete(ticket);
    if (this.#waiting.size === 0) this.#worker?.unref();
  }

  #lose(worker: Worker, cause?: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const abandoned = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of abandoned) reject(notCompared(cause));
  }
}

const notCompared = (cause: unknown) =>
  smError('ServiceUnavailable', 'the password could not be checked; try again', { isRetryable: true }, { cause });
