import { type AcquireAction, LockTable, type Observation, type ReleaseAction } from '@chandlery/workflow';

export interface SharedLocksOptions {
  /** Reads the limit of a semaphore: `<namespace>/ConfigMap/<name>/<key>`. */
  readonly readLimit: (lock: string) => number | undefined;
  readonly observe: (workflowUid: string, observation: Observation) => void;
}

/** The mutexes and semaphores of all workflows. */
export class SharedLocks {
  readonly #table: LockTable;
  readonly #observe: SharedLocksOptions['observe'];
  /** The workflows of holders. */
  readonly #workflows = new Map<string, string>();
  /** The holders of workflows. */
  readonly #holders = new Map<string, Set<string>>();

  constructor({ readLimit, observe }: SharedLocksOptions) {
    this.#table = new LockTable(readLimit);
    this.#observe = observe;
  }

  acquire(workflowUid: string, action: AcquireAction): void {
    this.#workflows.set(action.holder, workflowUid);
    this.#holders.set(workflowUid, (this.#holders.get(workflowUid) ?? new Set()).add(action.holder));
    this.#tell(this.#table.acquire(action));
  }

  release({ holder }: ReleaseAction): void {
    const answers = this.#table.release(holder);
    this.#holders.get(this.#workflows.get(holder) ?? '')?.delete(holder);
    this.#workflows.delete(holder);
    this.#tell(answers);
  }

  /** Gives back everything that a workflow holds or waits for. */
  forget(workflowUid: string): void {
    for (const holder of [...(this.#holders.get(workflowUid) ?? [])]) this.release({ kind: 'release', holder });
    this.#holders.delete(workflowUid);
  }

  /** Tries again, after limits of semaphores were changed. */
  refresh(): void {
    this.#tell(this.#table.refresh());
  }

  #tell(answers: readonly (Observation & { readonly holder: string })[]): void {
    for (const answer of answers) {
      const uid = this.#workflows.get(answer.holder);
      if (uid !== undefined) this.#observe(uid, answer);
    }
  }
}
