import type { KubeObject } from '@chandlery/api';
import { Emitter } from '@chandlery/platform';
import type { InformerListener } from './informer.ts';

/** The listeners of an informer. A listener that throws does not keep the others from being called. */
export class Listeners<T extends KubeObject> {
  readonly #onFailure: (thrown: unknown) => void;
  readonly #emitter: Emitter<[call: (listener: InformerListener<T>) => void]>;

  constructor(onFailure: (thrown: unknown) => void) {
    this.#onFailure = onFailure;
    this.#emitter = new Emitter(onFailure);
  }

  /** Adds a listener after calling it with the present objects. Returns the function that removes it. */
  add(listener: InformerListener<T>, present: Iterable<T>): () => void {
    for (const object of present) {
      try {
        listener.added?.(object, { isFromList: true });
      } catch (thrown) {
        this.#onFailure(thrown);
      }
    }
    return this.#emitter.add(call => call(listener));
  }

  notify(call: (listener: InformerListener<T>) => void): void {
    this.#emitter.emit(call);
  }
}
