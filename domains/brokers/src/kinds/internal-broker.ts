import type { JsonObject } from '@chandlery/api';

/** A plan of a service that another domain offers. */
export interface InternalServicePlan {
  /** Never changes. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Default true. */
  readonly isFree?: boolean;
  /** JSON Schema of the parameters of an instance. Default: anything goes. */
  readonly parameters?: JsonObject;
  readonly metadata?: JsonObject;
}

/** A service that another domain offers. */
export interface InternalService {
  /** Never changes. */
  readonly id: string;
  /** Unique for the broker. */
  readonly name: string;
  readonly description: string;
  readonly isBindable: boolean;
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
}

/**
 * What another domain offers, as a broker without a network in between.
 *
 * All calls may be repeated with the same arguments and then change nothing more. Nothing may be remembered in the
 * process: another replica may get the next call.
 */
export interface InternalBroker {
  /** What is offered now. */
  catalog(): Promise<readonly InternalService[]>;
  /** Calls back when the catalog may have changed. Returns how to stop it. */
  onCatalogChange(changed: () => void): () => void;
  provision(instance: InternalInstance): Promise<InternalOutcome>;
  /** Absent parameters stay as they are. */
  update(
    instance: InternalInstance,
    change: { readonly planId?: string; readonly parameters?: JsonObject },
    options?: InternalCallOptions,
  ): Promise<InternalOutcome>;
  /** `done` also when there is nothing. */
  deprovision(id: string, options?: InternalCallOptions): Promise<InternalOutcome>;
  /** State `gone`: the instance does not exist. */
  progress(id: string): Promise<InternalProgress>;
  /** The credentials, or `in progress` while they are not there yet. */
  bind(instanceId: string, bindingId: string, parameters: JsonObject): Promise<JsonObject | 'in progress'>;
  /** The credentials of a binding that was asked for, `in progress` while they are not there yet; undefined when there is no such binding. */
  credentials(instanceId: string, bindingId: string): Promise<JsonObject | 'in progress' | undefined>;
  unbind(instanceId: string, bindingId: string): Promise<void>;
  /** The parameters in force; undefined when there is no such instance. */
  parameters(id: string): Promise<JsonObject | undefined>;
}
