import { ChandleryError } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';

/** Stops a process at a given request: that one and all later ones do not reach the server. */
export class Fuse {
  readonly #limit: number;
  readonly #abort = new AbortController();
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Aborted when the fuse is blown. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isBlown(): boolean {
    return this.signal.aborted;
  }

  /** The client of such a process. Events do not count. */
  readonly protect = (client: Client): Client => ({
    get: async (ref, options) => this.#pass(ref, () => client.get(ref, options)),
    list: async (ref, options) => this.#pass(ref, () => client.list(ref, options)),
    listAll: (ref, options) => this.#stream(client.listAll(ref, options)),
    create: async (ref, object, options) => this.#pass(ref, () => client.create(ref, object, options)),
    update: async (ref, object, options) => this.#pass(ref, () => client.update(ref, object, options)),
    patch: async (ref, patch, options) => this.#pass(ref, () => client.patch(ref, patch, options)),
    delete: async (ref, options) => this.#pass(ref, () => client.delete(ref, options)),
    watch: (ref, options) => this.#stream(client.watch(ref, options)),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  });

  #pass<T>({ plural }: ResourceRef, request: () => Promise<T>): Promise<T> {
    if (plural !== 'events') this.#count += 1;
    if (this.#count >= this.#limit) this.#abort.abort();
    if (this.isBlown) throw crashed();
    return request();
  }

  async *#stream<T>(items: AsyncIterable<T>): AsyncIterable<T> {
    for await (const item of items) {
      if (this.isBlown) throw crashed();
      yield item;
    }
  }
}

const crashed = (): ChandleryError => new ChandleryError('Crashed', 'this process is no more');
