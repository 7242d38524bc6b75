import type { KubeObject } from '@chandlery/api';
import type { InformerListener } from './informer.ts';

interface Entry<T extends KubeObject> {
  readonly listener: InformerListener<T>;
  isActive: boolean;
}

/** Who hears of changes. */
export class Listeners<T extends KubeObject> {
  readonly #onFailure: (thrown: unknown) => void;
  /** Replaced and never changed, so that who joins during a round is not called in it. */
  #entries: readonly Entry<T>[] = [];

  /** A listener that throws does not keep the others from hearing. */
  constructor(onFailure: (thrown: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Adds a listener, telling it first what it missed. Returns how to remove it. */
  add(listener: InformerListener<T>, present: Iterable<T>): () => void {
    const entry: Entry<T> = { listener, isActive: true };
    for (const object of present) this.#call(entry, () => listener.added?.(object, { isFromList: true }));
    this.#entries = [...this.#entries, entry];
    return () => {
      entry.isActive = false;
      this.#entries = this.#entries.filter(each => each !== entry);
    };
  }

  tell(call: (listener: InformerListener<T>) => void): void {
    for (const entry of this.#entries) this.#call(entry, () => call(entry.listener));
  }

  #call(entry: Entry<T>, call: () => void): void {
    if (!entry.isActive) return;
    try {
      call();
    } catch (thrown) {
      this.#onFailure(thrown);
    }
  }
}
