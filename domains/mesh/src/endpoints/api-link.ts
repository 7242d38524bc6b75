import type { ChandleryError, KubeObject } from '@chandlery/api';
import type { Client, ResourceRef, WatchEvent, WatchOptions } from '@chandlery/client';
import { createInformer, type Informer, type InformerOptions } from '@chandlery/runtime';

/** Settings of a provider's informers. */
export type LinkTuning = Pick<InformerOptions, 'backOff' | 'idleMs' | 'pageSize' | 'timers' | 'clock' | 'random'>;

export interface ApiLinkOptions {
  /** Not disposed of. */
  readonly client: Client;
  /** Name of the API for messages: `the API of <name>`. */
  readonly name: string;
  /** Called with all errors. Default: not called. */
  readonly onError?: (error: ChandleryError) => void;
  readonly tuning?: LinkTuning;
}

/**
 * Informers on one API, with their staleness. An informer retries after a failure, but does not report when it has
 * recovered: a quiet collection could look stale for a minute. So the first watch after a failure is preceded by a
 * small request, whose success clears the failure.
 */
export class ApiLink implements AsyncDisposable {
  readonly #options: ApiLinkOptions;
  readonly #informers: AsyncDisposable[] = [];
  readonly #failures = new Map<string, ChandleryError>();

  constructor(options: ApiLinkOptions) {
    this.#options = options;
  }

  /** Why the informers may be stale; undefined while they are fresh. */
  get staleReason(): string | undefined {
    const [failure] = this.#failures.values();
    return failure && `the API of ${this.#options.name} does not respond: ${failure.message}`;
  }

  /** Creates and starts an informer, which stops with the link. */
  watch<T extends KubeObject>(
    options: Pick<InformerOptions<T>, 'ref' | 'labelSelector' | 'fieldSelector' | 'indexes' | 'transform'>,
  ): Informer<T> {
    const { plural } = options.ref;
    const onError = (error: ChandleryError): void => {
      this.#failures.set(plural, error);
      this.#options.onError?.(error);
    };
    const informer = createInformer<T>({ ...this.#options.tuning, ...options, client: this.#client(), onError });
    this.#informers.push(informer);
    informer.start();
    return informer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#informers.map(informer => informer[Symbol.asyncDispose]()));
  }

  /** Informers use list and watch only. */
  #client(): Client {
    const { client } = this.#options;
    const reading: Pick<Client, 'list' | 'watch'> = {
      list: (ref, options) => client.list(ref, options),
      watch: (ref, options) => this.#watch(ref, options),
    };
    return reading as Client;
  }

  async *#watch<T extends KubeObject>(ref: ResourceRef, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { client } = this.#options;
    const { hasInitialEvents = false, signal } = options;
    if (!hasInitialEvents && this.#failures.has(ref.plural)) {
      await client.list(ref, { limit: 1, ...(signal && { signal }) });
      this.#failures.delete(ref.plural);
    }
    for await (const event of client.watch<T>(ref, options)) {
      yield event;
      // Until the bookmark after the initial events, the cache is incomplete.
      if (!hasInitialEvents || event.type === 'BOOKMARK') this.#failures.delete(ref.plural);
    }
  }
}
