import type { JsonObject } from '@chandlery/api';
import type { Listening } from './listening.ts';

/** A plan of a service that another domain offers. */
export interface InternalServicePlan {
  /** Never changes. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Default true. */
  readonly isFree?: boolean;
  /** Whether it can be ordered. Others have instances that are made in another way, and are open to no tenant. Default true. */
  readonly isOrderable?: boolean;
  /** JSON Schema of the parameters of an instance. Default: anything goes. */
  readonly parameters?: JsonObject;
  readonly metadata?: JsonObject;
}

/** The metadata of plans whose instances can be shared. */
export const sharedPlan: JsonObject = { supportsInstanceSharing: true };

/** A service that another domain offers. */
export interface InternalService {
  /** Never changes. */
  readonly id: string;
  /** Unique for the broker. */
  readonly name: string;
  readonly description: string;
  readonly isBindable: boolean;
  /** Whether an instance can be moved to another plan. Default true. */
  readonly isPlanUpdateable?: boolean;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly plans: readonly InternalServicePlan[];
}

/** For whom something is asked. */
export interface InternalCaller {
  /** The namespace of the tenant, or the landscape's own. */
  readonly tenant: string;
  readonly platformId: string;
  /** The OSB context, as sent. */
  readonly context: JsonObject;
  /** The name of the user who caused it, as the platform says. Default: not known. */
  readonly username?: string;
}

/** Which instance, and what it should be. */
export interface InternalInstance {
  readonly id: string;
  readonly serviceId: string;
  readonly planId: string;
  readonly parameters: JsonObject;
  readonly caller: InternalCaller;
}

/**
 * The result of a call, or that it is in progress. Rejections are thrown: `ChandleryError` with `BadRequest`,
 * `Conflict` or `NotFound`.
 */
export type InternalOutcome =
  | { readonly state: 'done'; readonly dashboardUrl?: string }
  | { readonly state: 'in progress'; readonly dashboardUrl?: string };

/** How far something is. */
export interface InternalProgress {
  readonly state: 'in progress' | 'succeeded' | 'failed' | 'gone';
  /** For the user. */
  readonly description?: string;
}

/** How something is asked for. */
export interface InternalCallOptions {
  /** Only says how it would end, and changes nothing. Default false. */
  readonly isDryRun?: boolean;
  /**
   * Cleans up after a failed creation whose instance stays until its user deletes it: what shows why it failed may stay as
   * well. Default false.
   */
  readonly isMitigation?: boolean;
}

/**
 * What another domain offers, as a broker without a network in between.
 *
 * All calls may be repeated with the same arguments and then change nothing more. Nothing may be remembered in the
 * process: another replica may get the next call. Calls that have to wait for an earlier one reject with the code
 * `ConcurrencyError`, and are made again.
 */
export interface InternalBroker {
  /** What is offered now: to all, or, where catalogs belong to tenants, what a tenant offers. */
  catalog(tenant?: string): Promise<readonly InternalService[]>;
  /** Calls back when the catalog may have changed, with the tenant where catalogs belong to tenants. Returns how to stop it. */
  onCatalogChange(changed: (tenant?: string) => void): () => void;
  /** The tenants that offer something. Default: the catalog is the same for all tenants and belongs to the landscape. */
  tenants?(): readonly string[];
  provision(instance: InternalInstance): Promise<InternalOutcome>;
  /** Absent parameters stay as they are. */
  update(
    instance: InternalInstance,
    change: { readonly planId?: string; readonly parameters?: JsonObject },
    options?: InternalCallOptions,
  ): Promise<InternalOutcome>;
  /** `done` also when there is nothing. */
  deprovision(id: string, options?: InternalCallOptions): Promise<InternalOutcome>;
  /** The state of the last operation, or that the instance does not exist. */
  progress(id: string): Promise<InternalProgress>;
  /** The credentials, or `in progress` while they are not there yet. */
  bind(instanceId: string, bindingId: string, parameters: JsonObject): Promise<JsonObject | 'in progress'>;
  /** The credentials of a binding that was asked for, `in progress` while they are not there yet; undefined when there is no such binding. */
  credentials(instanceId: string, bindingId: string): Promise<JsonObject | 'in progress' | undefined>;
  unbind(instanceId: string, bindingId: string): Promise<void>;
  /** The parameters in force; undefined when there is no such instance. */
  parameters(id: string): Promise<JsonObject | undefined>;
  /** All instances of the domain, also those that were not ordered through the service manager. Default: they are not known. */
  readonly objects?: InternalObjects;
}

/** An instance as the domain has it, whichever API it was made through. */
export interface InternalObject {
  /** The id of the instance in the service manager. */
  readonly id: string;
  readonly serviceId: string;
  readonly planId: string;
  /** For people. */
  readonly name: string;
  /** The namespace of the tenant that it belongs to, or the landscape's own. */
  readonly tenant: string;
  /** Who ordered it, as far as that is known. */
  readonly username?: string;
  /** Whether `provision` has made it. */
  readonly isProvisioned: boolean;
  readonly createdAt: string;
  readonly progress: InternalProgress;
  /** Where it takes connections. Default: nowhere, or it is not known. */
  readonly listens?: Listening;
  readonly isDeleting: boolean;
}

/** Notified of the instances of a domain, by their ids. */
export interface InternalObjectListener {
  /** There is such an instance, or it was changed or deleted. */
  changed(id: string): void;
  /** All instances of a service are known from now on. */
  completed(serviceId: string): void;
}

/** The instances of a domain, by which those that were made through its own API become instances of the service manager. */
export interface InternalObjects {
  /** Notifies of all instances, and from then on of changes. Returns how to stop it. */
  listen(listener: InternalObjectListener): () => void;
  /** Whether all instances of a service are known now, so that one that `get` does not find was deleted. */
  isComplete(serviceId: string): boolean;
  /** Undefined: there is none. */
  get(id: string): Promise<InternalObject | undefined>;
}
