import { ChandleryError, type JsonObject } from '@chandlery/api';
import type {
  InternalBroker,
  InternalCallOptions,
  InternalInstance,
  InternalOutcome,
  InternalService,
} from '../../kinds/index.ts';
import { canonicalJson } from '../../model/json.ts';

const reject = (code: 'BadRequest' | 'Conflict' | 'NotFound', message: string) => new ChandleryError(code, message);

interface MemoryInstance {
  readonly instance: InternalInstance;
  planId: string;
  parameters: JsonObject;
  underWay?: { readonly type: string; readonly decision: string; readonly complete: () => void };
  failure?: string;
}

/** An offering source that lives in memory. Instances of its plan `slow` come and go when the test says so. */
export class MemoryInternalBroker implements InternalBroker {
  readonly instances = new Map<string, MemoryInstance>();
  readonly bindings = new Map<string, JsonObject>();
  /** Whether credentials can be had. */
  areCredentialsReady = true;
  /** The number of `bind` calls. */
  bindCalls = 0;

  async catalog(): Promise<readonly InternalService[]> {
    const plan = (name: string) => ({ id: `memory-${name}`, name, description: `The plan ${name}.` });
    const parameters = { type: 'object', properties: { size: { type: 'integer' } } };
    const plans = [
      { ...plan('sync'), parameters },
      { ...plan('slow'), isFree: false },
    ];
    return [{ id: 'memory', name: 'memory', description: 'In memory.', isBindable: true, tags: ['test'], plans }];
  }

  onCatalogChange(): () => void {
    return () => undefined;
  }

  async provision(instance: InternalInstance): Promise<InternalOutcome> {
    const existing = this.instances.get(instance.id);
    if (existing === undefined) {
      const made: MemoryInstance = { instance, planId: instance.planId, parameters: instance.parameters };
      this.instances.set(instance.id, made);
      return this.#begin(made, 'provision', { decision: attributes(instance), complete: () => undefined });
    }
    if (attributes(existing.instance) !== attributes(instance)) throw reject('Conflict', 'it is different');
    return { state: existing.underWay?.type === 'provision' ? 'in progress' : 'done' };
  }

  async update(
    { id }: InternalInstance,
    { planId, parameters }: { readonly planId?: string; readonly parameters?: JsonObject },
    { isDryRun = false }: InternalCallOptions = {},
  ): Promise<InternalOutcome> {
    const existing = this.#find(id);
    if (isDryRun) return { state: isSlow(existing) ? 'in progress' : 'done' };
    const decision = canonicalJson([planId ?? null, parameters ?? null]);
    if (existing.underWay !== undefined && existing.underWay.decision !== decision)
      throw reject('Conflict', 'it is busy');
    const complete = () => {
      existing.planId = planId ?? existing.planId;
      existing.parameters = { ...existing.parameters, ...parameters };
    };
    return this.#begin(existing, 'update', { decision, complete });
  }

  async deprovision(id: string, { isDryRun = false }: InternalCallOptions = {}): Promise<InternalOutcome> {
    const existing = this.instances.get(id);
    if (existing === undefined) return { state: 'done' };
    if (isDryRun)
      return { state: isSlow(existing) && existing.underWay?.type !== 'provision' ? 'in progress' : 'done' };
    const complete = () => void this.instances.delete(id);
    if (existing.underWay?.type === 'provision') {
      complete();
      return { state: 'done' };
    }
    return this.#begin(existing, 'deprovision', { decision: '', complete });
  }

  async progress(id: string) {
    const existing = this.instances.get(id);
    if (existing === undefined) return { state: 'gone' as const };
    if (existing.failure !== undefined) return { state: 'failed' as const, description: existing.failure };
    return { state: existing.underWay === undefined ? ('succeeded' as const) : ('in progress' as const) };
  }

  async bind(instanceId: string, bindingId: string): Promise<JsonObject | 'in progress'> {
    this.#find(instanceId);
    this.bindCalls++;
    const credentials = { user: bindingId, instance: instanceId };
    this.bindings.set(bindingId, credentials);
    return this.areCredentialsReady ? credentials : 'in progress';
  }

  async credentials(_instanceId: string, bindingId: string): Promise<JsonObject | 'in progress' | undefined> {
    const credentials = this.bindings.get(bindingId);
    return credentials === undefined || this.areCredentialsReady ? credentials : 'in progress';
  }

  async unbind(_instanceId: string, bindingId: string): Promise<void> {
    if (!this.bindings.delete(bindingId)) throw reject('NotFound', 'no such binding');
  }

  async parameters(id: string): Promise<JsonObject | undefined> {
    return this.instances.get(id)?.parameters;
  }

  /** Ends what is under way. */
  finish(id: string): void {
    const existing = this.#find(id);
    existing.underWay?.complete();
    delete existing.underWay;
  }

  #find(id: string): MemoryInstance {
    const existing = this.instances.get(id);
    if (existing === undefined) throw reject('NotFound', 'no such instance');
    return existing;
  }

  #begin(
    existing: MemoryInstance,
    type: string,
    { decision, complete }: { readonly decision: string; readonly complete: () => void },
  ): InternalOutcome {
    if (isSlow(existing)) {
      existing.underWay = { type, decision, complete };
      return { state: 'in progress', dashboardUrl: 'http://dashboard.example' };
    }
    complete();
    return { state: 'done' };
  }
}

const isSlow = ({ planId }: MemoryInstance): boolean => planId === 'memory-slow';

const attributes = ({ serviceId, planId, parameters }: InternalInstance): string =>
  canonicalJson([serviceId, planId, parameters]);
