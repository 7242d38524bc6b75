import { isError, type KubeObject, toError } from '@chandlery/api';
import type { InternalObject, InternalObjectListener, InternalObjects } from '@chandlery/brokers/kinds';
import type { Logger } from '@chandlery/platform';
import { controllerOf, createInformer, type Informer } from '@chandlery/runtime';
import { claimOf, instanceIdOf, instanceObjectOf } from '../../model/offerings/instance-object.ts';
import type { ServiceOffer } from '../../model/offerings/service-offer.ts';
import { fieldManager, type InstanceObject } from './instance-objects.ts';
import { type OfferDeps, readOffers } from './read-offers.ts';

const retryMs = 1000;

interface ObjectWatchOptions extends OfferDeps {
  readonly logger: Logger;
  /** Calls back when the catalog may have changed. Returns how to stop it. */
  readonly onCatalogChange: (changed: () => void) => () => void;
}

interface WatchedKind {
  offer: ServiceOffer;
  readonly informer: Informer;
}

/** All objects of the kinds that providers offer, whichever client made them. Watches only while there is a listener. */
export class ObjectWatch implements InternalObjects, AsyncDisposable {
  readonly #options: ObjectWatchOptions;
  /** By the id of the service. */
  readonly #kinds = new Map<string, WatchedKind>();
  readonly #work = new Set<Promise<void>>();
  #listener: InternalObjectListener | undefined;
  #unlisten: (() => void) | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isReading = false;
  #isDirty = false;

  constructor(options: ObjectWatchOptions) {
    this.#options = options;
  }

  listen(listener: InternalObjectListener): () => void {
    this.#listener = listener;
    this.#unlisten = this.#options.onCatalogChange(() => this.#refreshSoon());
    return () => this.#stop();
  }

  isComplete(serviceId: string): boolean {
    return this.#kinds.get(serviceId)?.informer.isSynced ?? false;
  }

  async get(id: string): Promise<InternalObject | undefined> {
    for (const { offer, informer } of this.#kinds.values()) {
      const [known] = informer.byIndex('instance', id);
      const object = known && (await this.#read(offer, known));
      if (object !== undefined && instanceIdOf(object) === id) return instanceObjectOf(object, offer);
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await Promise.all(this.#work);
  }

  #stop(): void {
    this.#listener = undefined;
    this.#unlisten?.();
    this.#unlisten = undefined;
    clearTimeout(this.#retry);
    for (const serviceId of [...this.#kinds.keys()]) this.#unwatch(serviceId);
  }

  /** Reads an object and labels it with its id, so that every replica finds it as it finds those that were ordered. */
  async #read({ group, version, plural, ...offer }: ServiceOffer, known: KubeObject): Promise<KubeObject | undefined> {
    const { onboarding } = this.#options;
    const { namespace = '', name = '' } = known.metadata;
    const ref = { group, version, plural, namespace, name };
    try {
      const object = await onboarding.get<InstanceObject>(ref);
      const metadata = claimOf(object, offer);
      if (metadata === undefined) return object;
      return await onboarding.patch(ref, { type: 'merge', body: { metadata } }, { fieldManager });
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #refreshSoon(): void {
    this.#isDirty = true;
    if (this.#isReading) return;
    this.#isReading = true;
    const work = this.#refreshWhileDirty().finally(() => this.#work.delete(work));
    this.#work.add(work);
  }

  async #refreshWhileDirty(): Promise<void> {
    try {
      while (this.#isDirty && this.#listener !== undefined) {
        this.#isDirty = false;
        this.#watchAll((await readOffers(this.#options)).offers);
      }
    } catch (error) {
      this.#options.logger.debug('cannot read what providers offer', { error: toError(error).message });
      if (this.#listener !== undefined) this.#retry = setTimeout(() => this.#refreshSoon(), retryMs).unref();
    } finally {
      this.#isReading = false;
    }
  }

  #watchAll(offers: readonly ServiceOffer[]): void {
    if (this.#listener === undefined) return;
    const wanted = new Set(offers.map(({ serviceId }) => serviceId));
    for (const serviceId of [...this.#kinds.keys()]) if (!wanted.has(serviceId)) this.#unwatch(serviceId);
    for (const offer of offers) {
      const known = this.#kinds.get(offer.serviceId);
      if (known !== undefined && known.informer.ref.version === offer.version) known.offer = offer;
      else this.#watch(offer);
    }
  }

  #watch(offer: ServiceOffer): void {
    const { onboarding, logger } = this.#options;
    const { group, version, plural, serviceId } = offer;
    this.#unwatch(serviceId);
    const onError = (error: Error): void => logger.debug(`cannot watch ${plural}.${group}: ${error.message}`);
    const indexes = { instance: (object: KubeObject) => [instanceIdOf(object)] };
    const options = { client: onboarding, ref: { group, version, plural }, transform: withoutBody, indexes, onError };
    const informer = createInformer(options);
    // What another object controls is a part of its service, and no instance of its own.
    const notify = (object: KubeObject): void => {
      if (controllerOf(object) === undefined) this.#listener?.changed(instanceIdOf(object));
    };
    informer.listen({ added: notify, updated: notify, deleted: notify });
    informer.start();
    informer.synced.then(
      () => this.#listener?.completed(serviceId),
      () => undefined,
    );
    this.#kinds.set(serviceId, { offer, informer });
  }

  #unwatch(serviceId: string): void {
    const informer = this.#kinds.get(serviceId)?.informer;
    this.#kinds.delete(serviceId);
    if (informer === undefined) return;
    const work = informer.stop().finally(() => this.#work.delete(work));
    this.#work.add(work);
  }
}

const withoutBody = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
  const { managedFields: _, ...kept } = metadata;
  return { apiVersion, kind, metadata: kept };
};
