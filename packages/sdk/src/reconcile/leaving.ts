import type { Client } from '@chandlery/client';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import type { Informer, SharedInformers } from '@chandlery/runtime';

/** Observes whether the provider itself is being deleted and leaves its services running. */
export class Leaving implements Disposable {
  readonly #providers: Informer<Provider>;
  readonly #provider: string;
  readonly #unlisten: () => void;

  constructor(options: {
    readonly provider: string;
    readonly platform: Client;
    readonly informers: SharedInformers;
    /** Called when the deletion begins. */
    readonly onLeaving: () => void;
  }) {
    const { provider, platform: client, informers, onLeaving } = options;
    this.#provider = provider;
    this.#providers = informers.informer<Provider>({ client, ref: serviceProviders.ref });
    const look = ({ metadata }: Provider): void => {
      if (metadata.name === provider && this.since() !== undefined) onLeaving();
    };
    this.#unlisten = this.#providers.listen({ added: look, updated: look });
  }

  /** The providers; reconciles wait for its first list. */
  get providers(): Informer<Provider> {
    return this.#providers;
  }

  /** When the provider was deleted with `deletionPolicy: Orphan`; undefined when it was not. */
  since(): string | undefined {
    const { metadata, spec } = this.#providers.get(undefined, this.#provider) ?? {};
    return spec?.deletionPolicy === 'Orphan' ? metadata?.deletionTimestamp : undefined;
  }

  [Symbol.dispose](): void {
    this.#unlisten();
  }
}
