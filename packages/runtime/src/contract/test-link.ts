import { apiError, ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef, WatchEvent, WatchOptions } from '@chandlery/client';

type WatchingClient = Pick<Client, 'list' | 'watch'>;

/** A client for informers whose watches can be cut, and made to resume from elsewhere. */
export class TestLink {
  /** Lists and watches; has no other calls. */
  readonly client: Client;
  /** How often everything was listed again, by a list or by the first events of a watch. */
  reads = 0;
  /** What becomes of the versions that watches ask for. Default: they stay as they are. */
  versionFor: (wanted: string) => string = wanted => wanted;
  readonly #server: Client;
  #isCut = false;
  #watches = new AbortController();

  constructor(server: Client) {
    this.#server = server;
    const client: WatchingClient = {
      list: (ref, options) => {
        if (options?.continue === undefined) this.reads += 1;
        return server.list(ref, options);
      },
      watch: (ref, options) => this.#watch(ref, options),
    };
    this.client = client as Client;
  }

  /** Ends all watches and opens no new ones. */
  cut(): void {
    this.#isCut = true;
    this.#watches.abort();
    this.#watches = new AbortController();
  }

  heal(): void {
    this.#isCut = false;
  }

  async *#watch<T extends KubeObject>(ref: ResourceRef, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    if (this.#isCut) throw new ChandleryError('ConnectionFailed', 'the cable is cut');
    const { resourceVersion, hasInitialEvents = false } = options;
    if (hasInitialEvents) this.reads += 1;
    const signal = AbortSignal.any([this.#watches.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    const asked = resourceVersion === undefined ? {} : { resourceVersion: this.versionFor(resourceVersion) };
    yield* this.#server.watch<T>(ref, { ...options, ...asked, signal });
  }
}

/** What a server says that has forgotten the history asked for. */
export const forgotten = (): ChandleryError => apiError('Expired', 'too old resource version');
