import { randomUUID } from 'node:crypto';
import { basicAuthorization, HttpCaller } from '../../http/http-caller.ts';
import type { BrokerRecord, OfferingRecord, PlanRecord } from './records.ts';

/** A plan of the double, with all that it needs to order it. */
export interface CloudPlan {
  readonly record: PlanRecord;
  readonly serviceId: string;
  readonly broker: CloudBroker;
  /** Names the organizations when the type is `organization`. */
  readonly organizations: Set<string>;
}

/** A broker of the double. */
export interface CloudBroker {
  record: BrokerRecord;
  credentials: { username: string; password: string };
}

/** What `POST` and `PATCH` of brokers carry. */
export interface BrokerBody {
  readonly name?: string;
  readonly url?: string;
  readonly authentication?: { readonly credentials: { readonly username: string; readonly password: string } };
  readonly relationships?: BrokerRecord['relationships'];
}

interface CatalogDocument {
  readonly services: readonly {
    readonly id: string;
    readonly name: string;
    readonly plans: readonly { readonly id: string; readonly name: string }[];
  }[];
}

/** A job that has ended. */
export interface CloudJob {
  readonly state: 'COMPLETE' | 'FAILED';
  readonly errors: readonly { readonly detail: string }[];
}

/** What the double of a Cloud Controller knows. */
export class CloudState {
  readonly brokers = new Map<string, CloudBroker>();
  readonly offerings = new Map<string, OfferingRecord & { readonly catalogId: string }>();
  readonly plans = new Map<string, CloudPlan>();
  readonly organizations = new Map<string, { readonly guid: string; readonly name: string }>();
  readonly jobs = new Map<string, Promise<CloudJob>>();
  readonly #caPem: string | undefined;

  constructor(caPem: string | undefined) {
    this.#caPem = caPem;
  }

  /** Registers a broker if its catalog can be fetched; answers the id of the job. */
  createBroker(body: BrokerBody): string {
    const guid = randomUUID();
    const { relationships } = body;
    return this.#job(async () => {
      const broker = changed(
        { record: { guid, name: '', url: '' }, credentials: { username: '', password: '' } },
        body,
      );
      if (relationships !== undefined) broker.record = { ...broker.record, relationships };
      const catalog = await this.fetchCatalog(broker);
      this.brokers.set(guid, broker);
      this.#synchronize(broker, catalog);
    });
  }

  /** Changes a broker if its catalog can be fetched then; answers the id of the job. */
  updateBroker(guid: string, body: BrokerBody): string {
    return this.#job(async () => {
      const broker = this.brokers.get(guid);
      if (broker === undefined) throw new Error('broker not found');
      const next = changed(broker, body);
      const catalog = await this.fetchCatalog(next);
      Object.assign(broker, next);
      this.#synchronize(broker, catalog);
    });
  }

  deleteBroker(guid: string): string {
    return this.#job(async () => {
      for (const [planGuid, { broker }] of this.plans) if (broker.record.guid === guid) this.plans.delete(planGuid);
      for (const [offeringGuid, { relationships }] of this.offerings)
        if (relationships.service_broker.data.guid === guid) this.offerings.delete(offeringGuid);
      this.brokers.delete(guid);
    });
  }

  /** Says who may use a plan. */
  setVisibility(plan: CloudPlan, type: PlanRecord['visibility_type']): void {
    this.plans.set(plan.record.guid, { ...plan, record: { ...plan.record, visibility_type: type } });
  }

  /** Asks the broker, as the real one does, with the credentials that it was given. */
  async fetchCatalog({ record, credentials }: CloudBroker): Promise<CatalogDocument> {
    await using caller = new HttpCaller({ baseUrl: record.url, caPem: this.#caPem });
    const headers = { authorization: basicAuthorization(credentials), 'x-broker-api-version': '2.15' };
    const { status, json } = await caller.call({ path: '/v2/catalog', headers });
    if (status !== 200) throw new Error(`The service broker returned an invalid response: ${status}`);
    return json as CatalogDocument;
  }

  #job(work: () => Promise<void>): string {
    const id = randomUUID();
    const ended = work().then(
      (): CloudJob => ({ state: 'COMPLETE', errors: [] }),
      (error: Error): CloudJob => ({ state: 'FAILED', errors: [{ detail: error.message }] }),
    );
    this.jobs.set(id, ended);
    return id;
  }

  #synchronize(broker: CloudBroker, { services }: CatalogDocument): void {
    const kept = new Set<string>();
    for (const service of services) {
      const offering = this.#offering(broker, service);
      kept.add(offering.guid);
      for (const plan of service.plans) kept.add(this.#plan(broker, offering, { ...plan, serviceId: service.id }));
    }
    for (const [guid, plan] of this.plans)
      if (plan.broker.record.guid === broker.record.guid && !kept.has(guid)) this.plans.delete(guid);
    for (const [guid, { relationships }] of this.offerings)
      if (relationships.service_broker.data.guid === broker.record.guid && !kept.has(guid)) this.offerings.delete(guid);
  }

  #offering({ record }: CloudBroker, { id, name }: { readonly id: string; readonly name: string }): OfferingRecord {
    const isSame = (known: OfferingRecord & { readonly catalogId: string }) =>
      known.catalogId === id && known.relationships.service_broker.data.guid === record.guid;
    const known = [...this.offerings.values()].find(isSame);
    const offering = {
      guid: known?.guid ?? randomUUID(),
      name,
      catalogId: id,
      relationships: { service_broker: { data: { guid: record.guid } } },
    };
    this.offerings.set(offering.guid, offering);
    return offering;
  }

  #plan(
    broker: CloudBroker,
    { guid: offeringGuid }: OfferingRecord,
    { id, name, serviceId }: { readonly id: string; readonly name: string; readonly serviceId: string },
  ): string {
    const known = [...this.plans.values()].find(
      ({ record }) =>
        record.broker_catalog.id === id && record.relationships.service_offering.data.guid === offeringGuid,
    );
    const guid = known?.record.guid ?? randomUUID();
    const record: PlanRecord = {
      guid,
      name,
      visibility_type: known?.record.visibility_type ?? 'admin',
      broker_catalog: { id },
      relationships: { service_offering: { data: { guid: offeringGuid } } },
    };
    this.plans.set(guid, { record, serviceId, broker, organizations: known?.organizations ?? new Set() });
    return guid;
  }
}

const changed = ({ record, credentials }: CloudBroker, { name, url, authentication }: BrokerBody): CloudBroker => ({
  record: { ...record, name: name ?? record.name, url: url ?? record.url },
  credentials: authentication?.credentials ?? credentials,
});
