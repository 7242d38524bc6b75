import type { WorkResult } from '@chandlery/runtime';

/**
 * Lets one worker at a time reconcile an instance. What a worker creates outside, and has not written down yet, is thus
 * never created after another worker has removed it. A worker that finds the lock taken does not wait for it: it is
 * called back when the lock is released, so that a slow instance occupies no second worker.
 */
export class InstanceLocks {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Does the work if the lock is free; otherwise calls `onRelease` once it is, and does nothing. */
  async run(
    id: string,
    { work, onRelease }: { readonly work: () => Promise<WorkResult>; readonly onRelease: () => void },
  ): Promise<WorkResult> {
    const taken = this.#waiting.get(id);
    if (taken !== undefined) {
      taken.push(onRelease);
      return 'done';
    }
    const waiting: (() => void)[] = [];
    this.#waiting.set(id, waiting);
    try {
      return await work();
    } finally {
      this.#waiting.delete(id);
      for (const notify of waiting) notify();
    }
  }
}
