import { type JsonObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Clock, type Logger, systemClock } from '@chandlery/platform';
import {
  addFinalizer,
  findCondition,
  hasFinalizer,
  type Informer,
  ignoreNotFound,
  isDeleting,
  removeFinalizer,
  retryOnConflict,
  setCondition,
} from '@chandlery/runtime';
import type { ConfigKind, ConfigObject } from '../definition/config-kind.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import { configNameOf } from '../model/names.ts';

export interface ConfigGuardOptions {
  readonly platform: Client;
  readonly kind: ConfigKind;
  readonly provider: string;
  readonly configs: Informer<ConfigObject>;
  /** With the index {@link byConfig}. */
  readonly services: Informer<ServiceObject>;
  readonly logger: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** The index of service objects by the configuration that they use. */
export const byConfig = (provider: string) => ({
  config: (object: ServiceObject): readonly string[] => [configNameOf(object, provider)],
});

/**
 * Protects configurations that objects use from deletion by a finalizer, and reports in their status whether they are
 * in use.
 */
export class ConfigGuard implements Disposable {
  readonly #options: ConfigGuardOptions;
  readonly #finalizer: string;
  readonly #unlisten: readonly (() => void)[];

  constructor(options: ConfigGuardOptions) {
    const { services, configs, provider } = options;
    this.#options = options;
    this.#finalizer = `${options.kind.group}/in-use`;
    const look = (object: ServiceObject): void => this.#appliedStateOf(configNameOf(object, provider));
    this.#unlisten = [
      services.listen({
        added: look,
        updated: (object, previous) => {
          if (configNameOf(object, provider) !== configNameOf(previous, provider)) [object, previous].forEach(look);
        },
        deleted: look,
      }),
      configs.listen({ added: ({ metadata }) => this.#appliedStateOf(metadata.name ?? '') }),
    ];
    // Covers what the last object of an earlier process left.
    void Promise.all([services.synced, configs.synced]).then(
      () => configs.list().forEach(({ metadata }) => this.#appliedStateOf(metadata.name ?? '')),
      () => undefined,
    );
  }

  /** The configuration that an object uses, if it exists. */
  configOf(object: ServiceObject): ConfigObject | undefined {
    const { configs, provider } = this.#options;
    return configs.get(undefined, configNameOf(object, provider));
  }

  /** Protects a configuration from deletion. */
  async hold(config: ConfigObject, signal: AbortSignal): Promise<void> {
    if (hasFinalizer(config, this.#finalizer) || isDeleting(config)) return;
    await this.#change(config.metadata.name ?? '', live => addFinalizer(live, this.#finalizer), signal);
  }

  /** Removes the protection of an object's configuration if no other object uses it. */
  async releaseAfter(object: ServiceObject, signal: AbortSignal): Promise<void> {
    const name = configNameOf(object, this.#options.provider);
    const others = this.#usersOf(name).filter(({ metadata }) => metadata.uid !== object.metadata.uid);
    if (others.length === 0) await this.#change(name, live => removeFinalizer(live, this.#finalizer), signal);
  }

  [Symbol.dispose](): void {
    for (const stop of this.#unlisten) stop();
  }

  #usersOf(name: string): readonly ServiceObject[] {
    return this.#options.services.byIndex('config', name);
  }

  /** Updates finalizer and status of a configuration. */
  #appliedStateOf(name: string): void {
    const { services, configs, logger } = this.#options;
    if (!services.isSynced || !configs.isSynced || configs.get(undefined, name) === undefined) return;
    void this.#release(name)
      .then(() => this.#report(name))
      .catch((error: unknown) => logger.warn('cannot update the status of a configuration', { config: name, error }));
  }

  async #release(name: string): Promise<void> {
    const known = this.#options.configs.get(undefined, name);
    if (this.#usersOf(name).length > 0 || known === undefined || !hasFinalizer(known, this.#finalizer)) return;
    await this.#change(name, live => removeFinalizer(live, this.#finalizer));
  }

  async #report(name: string): Promise<void> {
    const { platform, kind, clock = systemClock } = this.#options;
    const at = { ...kind.ref, name };
    await retryOnConflict(async () => {
      const live = await platform.get<ConfigObject>(at).catch(ignoreNotFound);
      const isUsed = this.#usersOf(name).length > 0;
      if (live === undefined || findCondition(live, 'InUse')?.status === (isUsed ? 'True' : 'False')) return;
      setCondition(
        live,
        isUsed
          ? { type: 'InUse', status: 'True', reason: 'UsedByObjects' }
          : { type: 'InUse', status: 'False', reason: 'Unused', message: 'No object of tenants uses it.' },
        clock.now(),
      );
      await platform.update({ ...at, subresource: 'status' }, live).catch(ignoreNotFound);
    });
  }

  async #change(name: string, edit: (live: ConfigObject) => boolean, signal?: AbortSignal): Promise<void> {
    const { platform, kind } = this.#options;
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
