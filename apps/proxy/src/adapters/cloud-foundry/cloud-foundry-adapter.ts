import { ChandleryError, isError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { inParallel } from '../../http/in-parallel.ts';
import type {
  AccessChange,
  BrokerRegistration,
  PlanAccess,
  PlatformAdapter,
  PlatformBroker,
  PlatformPlanRef,
} from '../../ports.ts';
import { accessRequests } from './access-requests.ts';
import { type CloudController, chunksOf } from './cloud-controller.ts';
import type { BrokerRecord, OfferingRecord, OrganizationRecord, PlanRecord, VisibilityRecord } from './records.ts';

/** So many ids go into one query, lest the address grows too long. */
const idsPerQuery = 50;
const brokersPerQuery = 10;
const maxParallelReads = 5;

/** Cloud Foundry, by its Cloud Controller. */
export class CloudFoundryAdapter implements PlatformAdapter {
  readonly type = 'cloudfoundry';
  readonly scopeLabel = 'organization_guid';
  readonly #controller: CloudController;
  readonly #logger: Logger;
  /** Ids of plans, as listed last. */
  readonly #planGuids = new Map<string, string>();
  /** Organizations that were asked for and do not exist. */
  readonly #missingOrganizations = new Set<string>();

  constructor(controller: CloudController, logger: Logger) {
    this.#controller = controller;
    this.#logger = logger;
  }

  platformName(name: string): string {
    return name;
  }

  async listBrokers(): Promise<PlatformBroker[]> {
    const brokers = await this.#controller.list<BrokerRecord>('/v3/service_brokers');
    // Brokers of a space belong to its developers.
    const global = brokers.filter(({ relationships }) => !relationships?.space?.data);
    return global.map(({ guid, name, url }) => ({ id: guid, name, url }));
  }

  async createBroker(registration: BrokerRegistration): Promise<void> {
    await this.#controller.change({ method: 'POST', path: '/v3/service_brokers', json: bodyOf(registration) });
  }

  async updateBroker({ id }: PlatformBroker, registration: BrokerRegistration): Promise<void> {
    await this.#controller.change({ method: 'PATCH', path: brokerPath(id), json: bodyOf(registration) });
  }

  async refetchCatalog({ id, name, url }: PlatformBroker): Promise<void> {
    await this.#controller.change({ method: 'PATCH', path: brokerPath(id), json: { name, url } });
  }

  async deleteBroker({ id }: PlatformBroker): Promise<void> {
    try {
      await this.#controller.change({ method: 'DELETE', path: brokerPath(id) });
    } catch (error) {
      if (!isError(error, 'CloudController404')) throw error;
    }
  }

  /** The Cloud Controller rejects the deletion of a broker that has instances, and names them. */
  async listUsers(): Promise<string[]> {
    return [];
  }

  /** Purging records of instances is for the operator of Cloud Foundry to decide (`cf purge-service-offering`). */
  async abandonOrders(): Promise<void> {
    // Nothing is recorded.
  }

  async listAccess(brokers: readonly PlatformBroker[], catalogPlanIds?: readonly string[]): Promise<PlanAccess[]> {
    const brokerNames = new Map(brokers.map(({ id, name }) => [id, name]));
    const { plans, offerings } = await this.#listPlans([...brokerNames.keys()], catalogPlanIds);
    const brokerNameOf = ({ relationships }: PlanRecord): string => {
      const offering = offerings.get(relationships.service_offering.data.guid);
      return brokerNames.get(offering?.relationships.service_broker.data.guid ?? '') ?? '';
    };
    const results = await inParallel(plans, maxParallelReads, plan => this.#accessOf(plan, brokerNameOf(plan)));
    return results.map(result => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  async knownScopes(guids: readonly string[]): Promise<string[]> {
    const found = new Set<string>();
    for (const chunk of chunksOf(guids, idsPerQuery)) {
      const query = { guids: listText(chunk) };
      for (const { guid } of await this.#controller.list<OrganizationRecord>('/v3/organizations', query))
        found.add(guid);
    }
    this.#reportMissing(guids.filter(guid => !found.has(guid)));
    for (const guid of found) this.#missingOrganizations.delete(guid);
    return guids.filter(guid => found.has(guid));
  }

  async changeAccess(change: AccessChange): Promise<void> {
    const guid = this.#planGuids.get(planKey(change.to));
    if (guid === undefined)
      throw new ChandleryError('NotFound', `Cloud Foundry has no plan "${change.to.catalogPlanId}"`);
    for (const { method, path, json } of accessRequests(change))
      await this.#send({ method, path: `/v3/service_plans/${guid}${path}`, json });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#controller[Symbol.asyncDispose]();
  }

  /** The plans of brokers. The number of requests depends on how many plans are asked for, not on how many there are. */
  async #listPlans(brokerGuids: readonly string[], catalogPlanIds: readonly string[] | undefined): Promise<PlanList> {
    const plans: PlanRecord[] = [];
    const offerings = new Map<string, OfferingRecord>();
    for (const query of planQueries(brokerGuids, catalogPlanIds))
      for await (const { resources, included } of this.#controller.pages<PlanRecord>('/v3/service_plans', query)) {
        plans.push(...resources);
        for (const offering of (included['service_offerings'] ?? []) as OfferingRecord[])
          offerings.set(offering.guid, offering);
      }
    const wanted = catalogPlanIds && new Set(catalogPlanIds);
    return { plans: plans.filter(plan => wanted?.has(plan.broker_catalog.id) ?? true), offerings };
  }

  async #accessOf({ guid, broker_catalog, visibility_type }: PlanRecord, brokerName: string): Promise<PlanAccess> {
    const ref: PlatformPlanRef = { brokerName, catalogPlanId: broker_catalog.id };
    this.#planGuids.set(planKey(ref), guid);
    if (visibility_type !== 'organization') return { ...ref, isPublic: visibility_type === 'public', scopes: [] };
    const { json } = await this.#controller.call({ path: `/v3/service_plans/${guid}/visibility` });
    const { organizations = [] } = json as VisibilityRecord;
    return { ...ref, isPublic: false, scopes: organizations.map(organization => organization.guid) };
  }

  /** Warns of each organization once, however often it is asked for. */
  #reportMissing(guids: readonly string[]): void {
    const unreported = guids.filter(guid => !this.#missingOrganizations.has(guid));
    for (const guid of unreported) this.#missingOrganizations.add(guid);
    if (unreported.length > 0)
      this.#logger.warn('organizations do not exist at the platform', { organizations: unreported });
  }

  async #send({ method, path, json }: { method: 'POST' | 'PATCH' | 'DELETE'; path: string; json: object | undefined }) {
    try {
      await this.#controller.call({ method, path, ...(json === undefined ? {} : { json }) });
    } catch (error) {
      // An organization without access is what was wanted.
      if (method !== 'DELETE' || !isError(error, 'CloudController404')) throw error;
    }
  }
}

/** Plans, and their offerings by guid. */
interface PlanList {
  readonly plans: readonly PlanRecord[];
  readonly offerings: ReadonlyMap<string, OfferingRecord>;
}

function planQueries(brokerGuids: readonly string[], catalogPlanIds: readonly string[] | undefined) {
  const ofBrokers = chunksOf(brokerGuids, brokersPerQuery).map(guids => ({
    include: 'service_offering',
    service_broker_guids: listText(guids),
  }));
  if (catalogPlanIds === undefined) return ofBrokers;
  const ofPlans = chunksOf(catalogPlanIds, idsPerQuery).map(ids => ({ broker_catalog_ids: listText(ids) }));
  return ofBrokers.flatMap(query => ofPlans.map(filter => ({ ...query, ...filter })));
}

/** A filter of several values. The Cloud Controller decodes each of them once more after it has split the list at its commas. */
const listText = (values: readonly string[]): string => values.map(encodeURIComponent).join(',');

const brokerPath = (guid: string): string => `/v3/service_brokers/${encodeURIComponent(guid)}`;

const planKey = ({ brokerName, catalogPlanId }: PlatformPlanRef): string => JSON.stringify([brokerName, catalogPlanId]);

const bodyOf = ({ name, url, credentials }: BrokerRegistration): object => ({
  name,
  url,
  ...(credentials === undefined
    ? {}
    : {
        authentication: {
          type: 'basic',
          credentials: { username: credentials.username, password: credentials.password },
        },
      }),
});
