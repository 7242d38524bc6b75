import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@chandlery/api';
import { basicAuthorization, type HttpCall, HttpCaller, type HttpResponse } from '../../http/http-caller.ts';
import type { CloudPlan, CloudState } from './test-cloud-state.ts';

/** Where in the platform something is ordered. */
export interface CloudPlace {
  readonly organization: string;
  readonly space: string;
}

/** An instance that the platform has ordered. */
export interface CloudInstance {
  readonly id: string;
  readonly plan: CloudPlan;
}

/** A binding that the platform has ordered. */
export interface CloudBinding {
  readonly id: string;
  readonly instance: CloudInstance;
  readonly credentials: JsonObject;
}

const pollPauseMs = 20;
/** Statuses of polls besides 200: deleted, or to be polled again. */
const pollStatuses = [410, 500, 502, 503, 504];
/** How long the platform tries to remove what it does not want. */
const cleanupTimeoutMs = 30_000;

/** Orders from brokers as the platform does for its users. */
export class CloudConsumer {
  readonly #state: CloudState;
  readonly #caPem: string | undefined;

  constructor(state: CloudState, caPem: string | undefined) {
    this.#state = state;
    this.#caPem = caPem;
  }

  /** Names of the plans that an organization may use, as `offering/plan`. */
  marketplace(organization: string): string[] {
    const visible = [...this.#state.plans.values()].filter(plan => isVisible(plan, organization));
    return visible.map(plan => `${this.#offeringOf(plan)}/${plan.record.name}`).sort();
  }

  async createInstance(
    place: CloudPlace,
    planName: string,
    { name = 'instance', parameters = {} }: { readonly name?: string; readonly parameters?: JsonObject } = {},
  ): Promise<CloudInstance> {
    const plan = this.#findPlan(place.organization, planName);
    const id = randomUUID();
    const { organization: organization_guid, space: space_guid } = place;
    const json = {
      ...idsOf(plan),
      organization_guid,
      space_guid,
      context: { ...contextOf(place), instance_name: name },
      parameters,
    };
    const path = `/v2/service_instances/${id}`;
    await this.#create(plan, path, json);
    return { id, plan };
  }

  async deleteInstance({ id, plan }: CloudInstance): Promise<void> {
    const path = `/v2/service_instances/${id}`;
    const query = { ...idsOf(plan), accepts_incomplete: 'true' };
    const answer = await this.#call(plan, { method: 'DELETE', path, query }, [410]);
    if (answer.status === 202) await this.#finished(plan, path, answer);
  }

  async createBinding(place: CloudPlace, instance: CloudInstance, parameters: JsonObject = {}): Promise<CloudBinding> {
    const { plan } = instance;
    const id = randomUUID();
    const app_guid = randomUUID();
    const path = `/v2/service_instances/${instance.id}/service_bindings/${id}`;
    const json = { ...idsOf(plan), bind_resource: { app_guid }, app_guid, context: contextOf(place), parameters };
    const answer = await this.#create(plan, path, json);
    const shown = answer.status === 202 ? await this.#call(plan, { path }) : answer;
    return { id, instance, credentials: (shown.json as { credentials?: JsonObject }).credentials ?? {} };
  }

  async deleteBinding({ id, instance }: CloudBinding): Promise<void> {
    const path = `/v2/service_instances/${instance.id}/service_bindings/${id}`;
    const query = { ...idsOf(instance.plan), accepts_incomplete: 'true' };
    const answer = await this.#call(instance.plan, { method: 'DELETE', path, query }, [410]);
    if (answer.status === 202) await this.#finished(instance.plan, path, answer);
  }

  #findPlan(organization: string, planName: string): CloudPlan {
    const found = [...this.#state.plans.values()].find(
      plan =>
        [plan.record.name, `${this.#offeringOf(plan)}/${plan.record.name}`].includes(planName) &&
        isVisible(plan, organization),
    );
    if (found === undefined) throw new Error(`organization ${organization} has no plan ${planName}`);
    return found;
  }

  #offeringOf({ record }: CloudPlan): string {
    return this.#state.offerings.get(record.relationships.service_offering.data.guid)?.name ?? '';
  }

  /**
   * Creates a resource. After an unclear failure it mitigates the orphan as the platform does, until the broker
   * responds.
   */
  async #create(plan: CloudPlan, path: string, json: JsonObject): Promise<HttpResponse> {
    try {
      const answer = await this.#call(plan, { method: 'PUT', path, query: { accepts_incomplete: 'true' }, json });
      if (answer.status === 202) await this.#finished(plan, path, answer);
      return answer;
    } catch (failure) {
      if (!/: 4\d\d /.test(String(failure))) await this.#removeOrphan(plan, path);
      throw failure;
    }
  }

  async #removeOrphan(plan: CloudPlan, path: string): Promise<void> {
    const query = { ...idsOf(plan), accepts_incomplete: 'true' };
    for (
      const deadline = performance.now() + cleanupTimeoutMs;
      performance.now() < deadline;
      await pause(pollPauseMs)
    ) {
      const answer = await this.#call(plan, { method: 'DELETE', path, query }, [410]).catch(() => undefined);
      if (answer === undefined) continue;
      if (answer.status === 202) await this.#finished(plan, path, answer).catch(() => undefined);
      if (answer.status !== 202) return;
    }
  }

  async #finished(plan: CloudPlan, path: string, { json }: HttpResponse): Promise<void> {
    const { operation } = (json ?? {}) as { operation?: string };
    for (;;) {
      const query = { ...idsOf(plan), operation };
      const answer = await this.#call(plan, { path: `${path}/last_operation`, query }, pollStatuses);
      const { state, description } = (answer.json ?? {}) as { state?: string; description?: string };
      if (answer.status === 410 || state === 'succeeded') return;
      if (state === 'failed') throw new Error(`the broker failed: ${description ?? ''}`);
      await pause(pollPauseMs);
    }
  }

  async #call({ broker }: CloudPlan, call: HttpCall, accepted: readonly number[] = []): Promise<HttpResponse> {
    await using caller = new HttpCaller({ baseUrl: broker.record.url, caPem: this.#caPem });
    const identity = Buffer.from(JSON.stringify({ user_id: 'a-user' })).toString('base64');
    const headers = {
      authorization: basicAuthorization(broker.credentials),
      'x-broker-api-version': '2.15',
      'x-broker-api-originating-identity': `cloudfoundry ${identity}`,
    };
    const answer = await caller.call({ ...call, headers });
    if (answer.status < 300 || accepted.includes(answer.status)) return answer;
    throw new Error(`${call.method ?? 'GET'} ${call.path}: ${answer.status} ${JSON.stringify(answer.json)}`);
  }
}

const isVisible = ({ record, organizations }: CloudPlan, organization: string): boolean =>
  record.visibility_type === 'public' || (record.visibility_type === 'organization' && organizations.has(organization));

const idsOf = ({ record, serviceId }: CloudPlan) => ({ service_id: serviceId, plan_id: record.broker_catalog.id });

const contextOf = ({ organization, space }: CloudPlace): JsonObject => ({
  platform: 'cloudfoundry',
  organization_guid: organization,
  organization_name: organization,
  space_guid: space,
  space_name: space,
});
