import { isSameJson, type KubeObject, toError } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';

export interface StateReportOptions<State> {
  /** Not disposed of. */
  readonly client: Client;
  /** The object of this process; its kind has a time to live. */
  readonly ref: ObjectRef;
  /** `writes` differs in each write, and must be in the object: a write without a difference extends no time to live. */
  readonly objectOf: (report: State & { readonly writes: number }) => KubeObject;
  readonly stateNow: () => State;
  /** Whether a state is reported although none was before. Default: each one is. */
  readonly isWorthReporting?: (state: State) => boolean;
  readonly fieldManager: string;
  /** How often an unchanged report is renewed: several times within the time to live. */
  readonly renewEveryMs: number;
  readonly logger: Logger;
}

const checkEveryMs = 1000;

/** Keeps an object that reports the state of this process to others, and deletes it at the end. */
export class StateReport<State extends object> implements AsyncDisposable {
  readonly #options: StateReportOptions<State>;
  readonly #timer: NodeJS.Timeout;
  #written: { readonly state: State; readonly atMs: number } | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writes = 0;
  #isStopped = false;

  constructor(options: StateReportOptions<State>) {
    this.#options = options;
    this.#timer = setInterval(() => this.check(), checkEveryMs).unref();
  }

  /** Writes a report if the state has changed, or the last one is due to be renewed. Called every second, too. */
  check(): void {
    this.#writing = this.#writing.then(() => this.#writeIfDue());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#writing;
    const { client, ref } = this.#options;
    if (this.#written !== undefined) await client.delete(ref).catch(() => undefined);
  }

  async #writeIfDue(): Promise<void> {
    const { stateNow, isWorthReporting = () => true, logger, ref } = this.#options;
    const state = stateNow();
    if (this.#isStopped || (this.#written === undefined && !isWorthReporting(state)) || !this.#isDue(state)) return;
    try {
      await this.#write(state);
      this.#written = { state, atMs: performance.now() };
    } catch (error) {
      logger.warn('cannot report this process, will be tried again', {
        kind: ref.plural,
        error: toError(error).message,
      });
    }
  }

  #isDue(state: State): boolean {
    const written = this.#written;
    if (written === undefined || performance.now() - written.atMs > this.#options.renewEveryMs) return true;
    return !isSameJson(written.state, state);
  }

  async #write(state: State): Promise<void> {
    const { client, ref, objectOf, fieldManager } = this.#options;
    const body = objectOf({ ...state, writes: ++this.#writes });
    await client.patch(ref, { type: 'apply', body, force: true }, { fieldManager });
  }
}
