import type { PodObject } from './interpret-pod.ts';

/** Pods whose nodes have ended, kept for inspection. The oldest go first. */
export class FinishedPods {
  readonly #pods = new Map<string, PodObject>();
  readonly #max: number;
  readonly #remove: (pod: PodObject) => void;

  constructor(max: number, remove: (pod: PodObject) => void) {
    this.#max = max;
    this.#remove = remove;
  }

  add(pod: PodObject): void {
    const { uid = '' } = pod.metadata;
    if (this.#pods.has(uid)) return;
    this.#pods.set(uid, pod);
    for (const [oldest, old] of this.#pods) {
      if (this.#pods.size <= this.#max) return;
      this.#pods.delete(oldest);
      this.#remove(old);
    }
  }

  delete({ metadata }: PodObject): void {
    this.#pods.delete(metadata.uid ?? '');
  }
}
