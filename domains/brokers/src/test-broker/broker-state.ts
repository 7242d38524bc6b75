import type { JsonObject } from '@chandlery/api';
import { type BrokerBinding, type BrokerInstance, type BrokerOperation, isUnderWay } from './broker-records.ts';
import { type BrokerCatalog, type CatalogOffering, type CatalogPlan, paceOf } from './default-catalog.ts';

export interface BrokerStateOptions {
  readonly catalog: BrokerCatalog;
  /** How often an `async…` plan says "in progress". */
  readonly asyncPolls: number;
  /** What a poll says when an asynchronous deletion is through. */
  readonly endsDeletesWith: 200 | 410;
}

/** Everything that the scripted broker remembers. */
export class BrokerState {
  catalog: BrokerCatalog;
  readonly instances = new Map<string, BrokerInstance>();
  readonly bindings = new Map<string, BrokerBinding>();
  /** Finished asynchronous deletions, by the id of the deleted resource. */
  readonly #deletions = new Map<string, BrokerOperation>();
  readonly #options: BrokerStateOptions;
  #operations = 0;

  constructor(options: BrokerStateOptions) {
    this.catalog = options.catalog;
    this.#options = options;
  }

  findPlan(serviceId: unknown, planId: unknown): { offering: CatalogOffering; plan: CatalogPlan } | undefined {
    const offering = this.catalog.services.find(({ id }) => id === serviceId);
    const plan = offering?.plans.find(({ id }) => id === planId);
    return offering !== undefined && plan !== undefined ? { offering, plan } : undefined;
  }

  /** Whether something is going on with an instance or any of its bindings. */
  isBusy(instanceId: string): boolean {
    if (isUnderWay(this.instances.get(instanceId))) return true;
    for (const binding of this.bindings.values())
      if (binding.instanceId === instanceId && isUnderWay(binding)) return true;
    return false;
  }

  begin(plan: CatalogPlan, operation: Pick<BrokerOperation, 'type' | 'fingerprint' | 'complete'>): BrokerOperation {
    this.#operations += 1;
    const pollsLeft = paceOf(plan) === 'slow' ? Number.POSITIVE_INFINITY : this.#options.asyncPolls;
    return { ...operation, id: `${operation.type}-${this.#operations}`, state: 'in progress', pollsLeft, details: {} };
  }

  /** Forgets an instance or binding, but not that it was deleted. */
  forget(thing: BrokerInstance | BrokerBinding): void {
    if ('instanceId' in thing) this.bindings.delete(thing.id);
    else this.instances.delete(thing.id);
    if (thing.operation !== undefined) this.#deletions.set(thing.id, thing.operation);
  }

  /** What the poll of something that is not there says: how its deletion ended, or nothing. */
  endedDeletion(id: string): { readonly status: 200 | 410; readonly operation: BrokerOperation } | undefined {
    const operation = this.#deletions.get(id);
    return operation === undefined ? undefined : { status: this.#options.endsDeletesWith, operation };
  }

  /** Ends the operation of an instance or a binding. */
  finish(id: string, state: 'succeeded' | 'failed' = 'succeeded', details: JsonObject = {}): void {
    const operation = (this.instances.get(id) ?? this.bindings.get(id))?.operation;
    if (operation?.state !== 'in progress') throw new Error(`nothing is under way with "${id}"`);
    operation.state = state;
    operation.details = details;
    if (state === 'succeeded') operation.complete();
  }
}
