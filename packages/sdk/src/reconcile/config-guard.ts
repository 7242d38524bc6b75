import { isError, type JsonObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import {
  addFinalizer,
  hasFinalizer,
  type Informer,
  isDeleting,
  removeFinalizer,
  retryOnConflict,
} from '@chandlery/runtime';
import type { ConfigKind, ConfigObject } from '../definition/config-kind.ts';
import type { ServiceObject } from '../definition/service-kind.ts';

export interface ConfigGuardOptions {
  readonly platform: Client;
  readonly kind: ConfigKind;
  readonly provider: string;
  readonly configs: Informer<ConfigObject>;
  readonly services: Informer<ServiceObject>;
  readonly logger: Logger;
}

/** Keeps the configuration from being deleted while objects use it, by a finalizer that is there just as long. */
export class ConfigGuard implements Disposable {
  readonly #options: ConfigGuardOptions;
  readonly #finalizer: string;
  readonly #unlisten: () => void;

  constructor(options: ConfigGuardOptions) {
    this.#options = options;
    this.#finalizer = `${options.kind.group}/in-use`;
    this.#unlisten = options.services.listen({ deleted: () => this.#releaseUnused() });
    // What the last object of an earlier process left behind.
    void Promise.all([options.services.synced, options.configs.synced]).then(
      () => this.#releaseUnused(),
      () => undefined,
    );
  }

  /** The configuration, if there is one. */
  get config(): ConfigObject | undefined {
    return this.#options.configs.get(undefined, this.#options.provider);
  }

  /** Makes sure that the configuration stays. */
  async hold(config: ConfigObject, signal: AbortSignal): Promise<void> {
    if (hasFinalizer(config, this.#finalizer) || isDeleting(config)) return;
    await this.#change(live => addFinalizer(live, this.#finalizer), signal);
  }

  /** Lets the configuration go, if the object of the key is the last that uses it. */
  async releaseAfter(key: string, signal: AbortSignal): Promise<void> {
    const others = this.#options.services
      .list()
      .filter(({ metadata }) => `${metadata.namespace}/${metadata.name}` !== key);
    if (others.length === 0) await this.#change(live => removeFinalizer(live, this.#finalizer), signal);
  }

  [Symbol.dispose](): void {
    this.#unlisten();
  }

  #releaseUnused(): void {
    const { services, logger } = this.#options;
    if (services.size > 0 || this.config === undefined || !hasFinalizer(this.config, this.#finalizer)) return;
    void this.#change(live => removeFinalizer(live, this.#finalizer)).catch((error: unknown) =>
      logger.warn('cannot let go of the configuration', { error }),
    );
  }

  async #change(edit: (live: ConfigObject) => boolean, signal?: AbortSignal): Promise<void> {
    const { platform, kind, provider: name } = this.#options;
    const options = signal === undefined ? {} : { signal };
    const at = { ...kind.ref, name };
    await retryOnConflict(async () => {
      const live = await platform.get<ConfigObject>(at, options).catch(ignoreNotFound);
      if (live === undefined || !edit(live)) return;
      const { finalizers = [], resourceVersion } = live.metadata;
      const body: JsonObject = { metadata: { finalizers, resourceVersion } };
      await platform.patch(at, { type: 'merge', body }, options).catch(ignoreNotFound);
    });
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (!isError(error, 'NotFound')) throw error;
}
