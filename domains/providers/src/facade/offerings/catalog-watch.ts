import { type KubeObject, toError } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createInformer, type Informer, isSameJson } from '@chandlery/runtime';
import { serviceProviders } from '../../kinds/index.ts';
import { catalogOf } from '../../model/offerings/catalog-of.ts';
import { refs } from '../../model/tenants/refs.ts';
import { type OfferDeps, type OffersRead, ownedSelector, readOffers } from './read-offers.ts';

const retryMs = 1000;

interface CatalogWatchOptions extends OfferDeps {
  readonly logger: Logger;
}

/** Notifies of catalog changes. Watches only while there are listeners; the cached state is only a hint. */
export class CatalogWatch implements AsyncDisposable {
  readonly #options: CatalogWatchOptions;
  readonly #listeners = new Set<() => void>();
  readonly #informers = new Map<string, Informer>();
  readonly #work = new Set<Promise<void>>();
  #retry: NodeJS.Timeout | undefined;
  #configKeys: ReadonlySet<string> = new Set();
  #notified: unknown;
  #isLooking = false;
  #isDirty = false;
  #isStopped = false;

  constructor(options: CatalogWatchOptions) {
    this.#options = options;
  }

  /** Returns a function that removes the listener. */
  listen(changed: () => void): () => void {
    const { platform, onboarding } = this.#options;
    // A new function, because a listener may be added twice and removed once.
    const listener = (): void => changed();
    this.#listeners.add(listener);
    this.#watch(platform, serviceProviders.ref);
    this.#watch(platform, refs.customResourceDefinitions, ownedSelector);
    this.#watch(onboarding, refs.customResourceDefinitions, ownedSelector);
    return () => this.#forget(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#listeners.clear();
    this.#stopWatching();
    await Promise.all(this.#work);
  }

  #forget(listener: () => void): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#stopWatching();
  }

  #stopWatching(): void {
    clearTimeout(this.#retry);
    for (const key of [...this.#informers.keys()]) this.#unwatch(key);
  }

  #watch(client: Client, ref: ResourceRef, labelSelector?: string): void {
    const key = this.#keyOf(client, ref);
    if (this.#isStopped || this.#informers.has(key)) return;
    const { logger } = this.#options;
    const onError = (error: Error): void => logger.debug(`cannot watch ${ref.plural}: ${error.message}`);
    const selection = labelSelector === undefined ? {} : { labelSelector };
    const informer = createInformer({ client, ref, ...selection, transform: metadataOnly, onError });
    const look = (): void => this.#lookSoon();
    informer.listen({ added: look, updated: look, deleted: look });
    informer.start();
    this.#informers.set(key, informer);
  }

  /** Watches the configurations that are read now; those of removed providers are no longer watched. */
  #watchConfigs(places: OffersRead['configPlaces']): void {
    const { platform } = this.#options;
    const wanted = new Set(places.map(place => this.#keyOf(platform, place)));
    for (const key of this.#configKeys) if (!wanted.has(key)) this.#unwatch(key);
    for (const { provider: _, ...ref } of places) this.#watch(platform, ref);
    this.#configKeys = wanted;
  }

  #unwatch(key: string): void {
    const informer = this.#informers.get(key);
    this.#informers.delete(key);
    if (informer !== undefined) this.#track(informer.stop());
  }

  #keyOf(client: Client, { group, plural }: ResourceRef): string {
    return `${client === this.#options.platform ? 'platform' : 'onboarding'} ${plural}.${group}`;
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  /** Changes often come together, as when a provider is installed: while one check runs, the next one waits. */
  #lookSoon(): void {
    this.#isDirty = true;
    if (this.#isLooking || this.#listeners.size === 0) return;
    this.#isLooking = true;
    this.#track(this.#lookWhileDirty());
  }

  async #lookWhileDirty(): Promise<void> {
    try {
      while (this.#isDirty && this.#listeners.size > 0) {
        this.#isDirty = false;
        this.#compare(await readOffers(this.#options));
      }
    } catch (error) {
      this.#options.logger.debug('cannot read what providers offer, will be tried again', {
        error: toError(error).message,
      });
      if (this.#listeners.size > 0) this.#retry = setTimeout(() => this.#lookSoon(), retryMs).unref();
    } finally {
      this.#isLooking = false;
    }
  }

  #compare({ offers, configPlaces }: OffersRead): void {
    const { logger } = this.#options;
    if (this.#listeners.size === 0) return;
    this.#watchConfigs(configPlaces);
    const now = { catalog: catalogOf(offers), problems: offers.flatMap(({ problem }) => problem ?? []) };
    if (isSameJson(now, this.#notified)) return;
    this.#notified = now;
    for (const problem of now.problems) logger.warn(`something is not offered: ${problem}`);
    for (const changed of this.#listeners) changed();
  }
}

const metadataOnly = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
  const { managedFields: _, ...rest } = metadata;
  return { apiVersion, kind, metadata: rest };
};
