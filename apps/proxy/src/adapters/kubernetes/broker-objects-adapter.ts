import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { retryOnConflict } from '@chandlery/runtime';
import type { BasicCredentials, BrokerRegistration, PlanAccess, PlatformAdapter, PlatformBroker } from '../../ports.ts';
import {
  type BrokerKind,
  type BrokerObject,
  brokerSpec,
  fieldManager,
  objectName,
  secretName,
} from './broker-object.ts';
import type { OrderedServices } from './services/ordered-services.ts';

export interface BrokerObjectsOptions {
  readonly client: Client;
  readonly kind: BrokerKind;
  /** By which the cluster trusts the service manager, PEM. */
  readonly caPem?: string | undefined;
  /** What was ordered by our own kinds. Undefined with service-catalog, which looks after its instances itself. */
  readonly orders?: OrderedServices;
  /** Stops what works on the objects. */
  readonly dispose: () => Promise<void>;
}

const secrets = { group: '', version: 'v1', plural: 'secrets' } as const;
const namespaces = { group: '', version: 'v1', plural: 'namespaces' } as const;

/** A Kubernetes cluster that knows brokers as objects. Access follows from the catalog, which is made for the platform. */
export class BrokerObjectsAdapter implements PlatformAdapter {
  readonly type = 'kubernetes';
  readonly scopeLabel = undefined;
  readonly #options: BrokerObjectsOptions;
  /** Relists in progress; concurrent requests share one. */
  readonly #relists = new Map<string, Promise<void>>();

  constructor(options: BrokerObjectsOptions) {
    this.#options = options;
  }

  platformName(name: string): string {
    return objectName(name);
  }

  async listBrokers(): Promise<PlatformBroker[]> {
    const { client, kind } = this.#options;
    const brokers: PlatformBroker[] = [];
    for await (const { metadata, spec } of client.listAll<BrokerObject>(kind.ref))
      brokers.push({ id: metadata.name ?? '', name: metadata.name ?? '', url: spec.url });
    return brokers;
  }

  async createBroker(registration: BrokerRegistration & { readonly credentials: BasicCredentials }): Promise<void> {
    await this.#writeSecret(registration.brokerId, registration.credentials);
    await this.#createObject(registration, 0);
  }

  async updateBroker(current: PlatformBroker, registration: BrokerRegistration): Promise<void> {
    const { brokerId, name, credentials } = registration;
    if (credentials !== undefined) await this.#writeSecret(brokerId, credentials);
    if (current.name === name) return this.#changeObject(name, spec => Object.assign(spec, this.#specOf(registration)));
    // Names do not change: the broker moves to an object of the new name.
    const relistRequests = (await this.#find(current.name))?.spec.relistRequests ?? 0;
    await this.#createObject(registration, relistRequests + 1);
    await this.#delete({ ...this.#options.kind.ref, name: current.name });
  }

  refetchCatalog({ name }: PlatformBroker): Promise<void> {
    const running = this.#relists.get(name);
    if (running !== undefined) return running;
    const relist = this.#changeObject(name, () => undefined).finally(() => this.#relists.delete(name));
    this.#relists.set(name, relist);
    return relist;
  }

  async deleteBroker({ name }: PlatformBroker, brokerId: string): Promise<void> {
    const { kind } = this.#options;
    const isShared = await this.#isSecretShared(name, brokerId);
    if (kind.isSecretKept !== true && !isShared)
      await this.#delete({ ...secrets, namespace: kind.secretNamespace, name: secretName(brokerId) });
    await this.#delete({ ...kind.ref, name });
  }

  async listUsers({ name }: PlatformBroker): Promise<readonly string[]> {
    return (await this.#options.orders?.usersOf(name)) ?? [];
  }

  async abandonOrders(brokers: readonly PlatformBroker[]): Promise<void> {
    await this.#options.orders?.abandon(brokers.map(({ name }) => name));
  }

  /** An object of another name may have taken over the secret with the broker. */
  async #isSecretShared(name: string, brokerId: string): Promise<boolean> {
    const brokers = await this.listBrokers();
    return brokers.some(other => other.name !== name && other.url.endsWith(`/${brokerId}`));
  }

  async knownScopes(scopes: readonly string[]): Promise<readonly string[]> {
    return scopes;
  }

  async listAccess(): Promise<PlanAccess[]> {
    return [];
  }

  async changeAccess(): Promise<void> {
    // There is nothing but the catalog.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.dispose();
  }

  #specOf({ brokerId, url }: BrokerRegistration): BrokerObject['spec'] {
    const { kind, caPem } = this.#options;
    return brokerSpec(kind, { url, brokerId, caPem });
  }

  async #createObject(registration: BrokerRegistration, relistRequests: number): Promise<void> {
    const { client, kind } = this.#options;
    const { name } = registration;
    const { apiVersion, kind: kindName } = kind;
    const spec = { ...this.#specOf(registration), relistRequests };
    try {
      await client.create<BrokerObject>(
        kind.ref,
        { apiVersion, kind: kindName, metadata: { name }, spec },
        { fieldManager },
      );
    } catch (error) {
      if (!isError(error, 'AlreadyExists')) throw error;
      await this.#changeObject(name, current => Object.assign(current, this.#specOf(registration)));
    }
  }

  /** Changes the current object, requests a relist, and retries after a conflict. */
  #changeObject(name: string, change: (spec: BrokerObject['spec']) => void): Promise<void> {
    const { client, kind } = this.#options;
    const ref = { ...kind.ref, name };
    return retryOnConflict(async () => {
      const object = await client.get<BrokerObject>(ref);
      change(object.spec);
      object.spec.relistRequests = (object.spec.relistRequests ?? 0) + 1;
      await client.update(ref, object, { fieldManager });
    });
  }

  async #find(name: string): Promise<BrokerObject | undefined> {
    try {
      return await this.#options.client.get<BrokerObject>({ ...this.#options.kind.ref, name });
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #writeSecret(brokerId: string, { username, password }: BasicCredentials): Promise<void> {
    const { client, kind } = this.#options;
    const { secretNamespace: namespace } = kind;
    const name = secretName(brokerId);
    const body: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      data: { username: encode(username), password: encode(password) },
    };
    await this.#ensureNamespace(namespace);
    await client.patch({ ...secrets, namespace, name }, { type: 'apply', body, force: true }, { fieldManager });
  }

  async #ensureNamespace(name: string): Promise<void> {
    const body: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    try {
      await this.#options.client.get({ ...namespaces, name });
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
      await this.#options.client.patch({ ...namespaces, name }, { type: 'apply', body }, { fieldManager });
    }
  }

  async #delete(ref: ObjectRef): Promise<void> {
    try {
      await this.#options.client.delete(ref);
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
    }
  }
}

const encode = (text: string): string => Buffer.from(text).toString('base64');
