import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef, WatchEvent, WatchOptions } from '@chandlery/client';

/** A client for informers that can be disconnected. */
export class CutLink {
  readonly client: Client;
  readonly #server: Client;
  #isCut: boolean;
  #watches = new AbortController();

  constructor(server: Client, isCut = false) {
    this.#server = server;
    this.#isCut = isCut;
    const reading: Pick<Client, 'list' | 'watch'> = {
      list: async (ref, options) => {
        this.#check();
        return await server.list(ref, options);
      },
      watch: (ref, options) => this.#watch(ref, options),
    };
    this.client = reading as Client;
  }

  cut(): void {
    this.#isCut = true;
    this.#watches.abort();
    this.#watches = new AbortController();
  }

  heal(): void {
    this.#isCut = false;
  }

  #check(): void {
    if (this.#isCut) throw new ChandleryError('ConnectionFailed', 'the cable is cut');
  }

  async *#watch<T extends KubeObject>(ref: ResourceRef, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    this.#check();
    const signal = AbortSignal.any([this.#watches.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    yield* this.#server.watch<T>(ref, { ...options, signal });
    if (options.signal?.aborted !== true) this.#check();
  }
}

/** Short retry intervals for tests. */
export const quickTuning = { backOff: { baseMs: 5, maxMs: 20 } };
