import type { KubeObject } from '@chandlery/api';
import {
  brokerKinds,
  consumerOf,
  type MeshConsumer,
  meshRecordLabel,
  nameOfId,
  type ServiceBinding,
  type ServiceInstance,
} from '@chandlery/brokers/kinds';
import type { Client } from '@chandlery/client';
import { type Informer, isDeleting } from '@chandlery/runtime';
import { ApiLink, type LinkTuning } from '../endpoints/api-link.ts';
import { MicrotaskBatch } from '../endpoints/microtask-batch.ts';
import { type MeshInstance, serviceOfInstance } from '../model/mesh-instance.ts';
import { type ServiceKey, serviceKey } from '../model/service-name.ts';
import type { Unsubscribe } from '../ports/unsubscribe.ts';
import { compactBinding, compactInstance } from './compact-records.ts';

/** The account that a binding gives access to its instance. */
export interface RecordedGrant {
  /** `namespace/name` of the ServiceBinding. */
  readonly source: string;
  readonly consumer: MeshConsumer;
}

/** An instance that takes connections, and the accounts with access to it. */
export interface InstanceRecord {
  readonly tenant: string;
  readonly instance: MeshInstance;
  /** Sorted by source. */
  readonly grants: readonly RecordedGrant[];
}

/** A record before and after a change; undefined: there was, or is, none. */
export interface RecordChange {
  readonly before: InstanceRecord | undefined;
  readonly after: InstanceRecord | undefined;
}

export interface InstanceRecordsOptions {
  /** Client of the cluster of the service manager. Not disposed of. */
  readonly client: Client;
  readonly tuning?: LinkTuning;
}

/**
 * The service instances that take connections, and the accounts that bindings give access to them. The meshes of a
 * process share it. The cost of a change is proportional to the bindings and references of one instance.
 */
export class InstanceRecords implements AsyncDisposable {
  readonly synced: Promise<void>;
  readonly #link: ApiLink;
  readonly #instances: Informer<ServiceInstance>;
  readonly #bindings: Informer<ServiceBinding>;
  /** By `namespace/name` of the ServiceInstance. */
  readonly #records = new Map<string, InstanceRecord>();
  readonly #byService = new Map<ServiceKey, InstanceRecord>();
  readonly #listeners = new Set<(changes: readonly RecordChange[]) => void>();
  readonly #changed = new MicrotaskBatch(keys => this.#update(keys));

  constructor(options: InstanceRecordsOptions) {
    this.#link = new ApiLink({ ...options, name: 'the service manager' });
    this.#instances = this.#link.watch<ServiceInstance>({
      ref: brokerKinds.instances.ref,
      labelSelector: meshRecordLabel,
      indexes: { [byReferenced]: instance => referencedBy(instance) },
      transform: compactInstance,
    });
    this.#bindings = this.#link.watch<ServiceBinding>({
      ref: brokerKinds.bindings.ref,
      labelSelector: meshRecordLabel,
      indexes: { [byInstance]: binding => [boundBy(binding)] },
      transform: compactBinding,
    });
    const onInstance = (instance: ServiceInstance): void => {
      for (const key of [keyOf(instance), ...referencedBy(instance)]) this.#changed.add(key);
    };
    this.#instances.listen({
      added: onInstance,
      updated: (instance, previous) => [instance, previous].forEach(onInstance),
      deleted: onInstance,
    });
    const onBinding = (binding: ServiceBinding): void => this.#noteBinding(binding);
    this.#bindings.listen({
      added: onBinding,
      updated: (binding, previous) => [binding, previous].forEach(onBinding),
      deleted: onBinding,
    });
    this.synced = Promise.all([this.#instances.synced, this.#bindings.synced]).then(() => undefined);
    // Prevents an unhandled rejection when no caller awaits the promise.
    this.synced.catch(() => undefined);
  }

  get isSynced(): boolean {
    return this.#instances.isSynced && this.#bindings.isSynced;
  }

  /** Why the records may be stale; undefined while they are fresh. */
  get staleReason(): string | undefined {
    return this.#link.staleReason;
  }

  get(service: ServiceKey): InstanceRecord | undefined {
    return this.#byService.get(service);
  }

  /** The record of a ServiceInstance, `namespace/name`. */
  find(source: string): InstanceRecord | undefined {
    return this.#records.get(source);
  }

  list(): Iterable<InstanceRecord> {
    return this.#records.values();
  }

  /** Calls the listener after reads show the changes. */
  subscribe(listener: (changes: readonly RecordChange[]) => void): Unsubscribe {
    const entry: typeof listener = changes => listener(changes);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    await this.#link[Symbol.asyncDispose]();
  }

  /** The binding of a reference gives access to the instance that it refers to. */
  #noteBinding(binding: ServiceBinding): void {
    const key = boundBy(binding);
    this.#changed.add(key);
    const bound = this.#instanceAt(key);
    for (const referenced of bound === undefined ? [] : referencedBy(bound)) this.#changed.add(referenced);
  }

  #instanceAt(key: string): ServiceInstance | undefined {
    const slash = key.indexOf('/');
    return this.#instances.get(key.slice(0, slash), key.slice(slash + 1));
  }

  #update(keys: ReadonlySet<string>): void {
    const changes = [...keys].flatMap(key => this.#read(key) ?? []);
    if (changes.length === 0) return;
    for (const listener of this.#listeners) listener(changes);
  }

  #read(key: string): RecordChange | undefined {
    const before = this.#records.get(key);
    const present = this.#instanceAt(key);
    const after = present && this.#recordOf(key, present);
    if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
    if (before !== undefined) this.#byService.delete(serviceKey(before.instance.service));
    if (after === undefined) this.#records.delete(key);
    else {
      this.#records.set(key, after);
      this.#byService.set(serviceKey(after.instance.service), after);
    }
    return { before, after };
  }

  #recordOf(key: string, instance: ServiceInstance): InstanceRecord | undefined {
    const { listens } = instance.status ?? {};
    if (listens === undefined || isDeleting(instance)) return undefined;
    const references = this.#instances.byIndex(byReferenced, key).filter(reference => isUsable(reference));
    const bindings = [key, ...references.map(keyOf)].flatMap(bound => this.#bindings.byIndex(byInstance, bound));
    return {
      tenant: instance.metadata.namespace ?? '',
      instance: { ...listens, service: serviceOfInstance(instance), source: key },
      grants: bindings.flatMap(binding => grantOf(binding) ?? []).sort(bySource),
    };
  }
}

const byReferenced = 'referenced';
const byInstance = 'instance';

const keyOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): string => `${namespace}/${name}`;

/** Objects name instances by id, which is unchecked input: an instance of another tenant is never found by it. */
const referencedBy = ({ metadata, spec }: ServiceInstance): string[] =>
  spec.referencedInstanceId === undefined ? [] : [`${metadata.namespace}/${nameOfId(spec.referencedInstanceId)}`];

const boundBy = ({ metadata, spec }: ServiceBinding): string => `${metadata.namespace}/${nameOfId(spec.instanceId)}`;

const isUsable = (object: ServiceInstance | ServiceBinding): boolean =>
  object.status?.ready === true && !isDeleting(object);

function grantOf(binding: ServiceBinding): RecordedGrant | undefined {
  const consumer = isUsable(binding) ? consumerOf(binding) : undefined;
  return consumer && { source: keyOf(binding), consumer };
}

const bySource = (one: RecordedGrant, other: RecordedGrant): number => (one.source < other.source ? -1 : 1);
