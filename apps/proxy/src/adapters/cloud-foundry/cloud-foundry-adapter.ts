import { ChandleryError, isError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import type {
  AccessChange,
  BrokerRegistration,
  PlanAccess,
  PlatformAdapter,
  PlatformBroker,
  PlatformPlanRef,
} from '../../ports.ts';
import { accessRequests } from './access-requests.ts';
import type { CloudController } from './cloud-controller.ts';
import type { BrokerRecord, OfferingRecord, OrganizationRecord, PlanRecord, VisibilityRecord } from './records.ts';

const organizationsPerQuery = 50;

/** Cloud Foundry, by its Cloud Controller. */
export class CloudFoundryAdapter implements PlatformAdapter {
  readonly type = 'cloudfoundry';
  readonly scopeLabel = 'organization_guid';
  readonly #controller: CloudController;
  readonly #logger: Logger;
  /** Ids of plans, as listed last. */
  readonly #planGuids = new Map<string, string>();

  constructor(controller: CloudController, logger: Logger) {
    this.#controller = controller;
    this.#logger = logger;
  }

  platformName(name: string): string {
    return name;
  }

  async listBrokers(): Promise<PlatformBroker[]> {
    const brokers = await this.#controller.list<BrokerRecord>('/v3/service_brokers');
    // Those of a space are somebody's own.
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

  async listAccess(brokers: readonly PlatformBroker[], catalogPlanIds?: readonly string[]): Promise<PlanAccess[]> {
    const brokerNames = new Map(brokers.map(({ id, name }) => [id, name]));
    const offerings = await this.#controller.listBy<OfferingRecord>('/v3/service_offerings', 'service_broker_guids', [
      ...brokerNames.keys(),
    ]);
    const names = new Map(
      offerings.map(({ guid, relationships }) => [guid, brokerNames.get(relationships.service_broker.data.guid) ?? '']),
    );
    const plans = await this.#controller.listBy<PlanRecord>('/v3/service_plans', 'service_offering_guids', [
      ...names.keys(),
    ]);
    const wanted = plans.filter(plan => catalogPlanIds?.includes(plan.broker_catalog.id) ?? true);
    const accesses: PlanAccess[] = [];
    for (const plan of wanted)
      accesses.push(await this.#accessOf(plan, names.get(plan.relationships.service_offering.data.guid) ?? ''));
    return accesses;
  }

  async changeAccess(change: AccessChange): Promise<void> {
    const guid = this.#planGuids.get(planKey(change.to));
    if (guid === undefined)
      throw new ChandleryError('NotFound', `Cloud Foundry has no plan "${change.to.catalogPlanId}"`);
    const known = await this.#known(change.to.scopes);
    const to = { ...change.to, scopes: known };
    // Organizations that Cloud Foundry does not have leave nobody to give access to, or nothing to change.
    for (const { method, path, json } of accessRequests({ from: change.from, to }))
      await this.#send({ method, path: `/v3/service_plans/${guid}${path}`, json });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#controller[Symbol.asyncDispose]();
  }

  async #accessOf({ guid, broker_catalog, visibility_type }: PlanRecord, brokerName: string): Promise<PlanAccess> {
    const ref: PlatformPlanRef = { brokerName, catalogPlanId: broker_catalog.id };
    this.#planGuids.set(planKey(ref), guid);
    if (visibility_type !== 'organization') return { ...ref, isPublic: visibility_type === 'public', scopes: [] };
    const { json } = await this.#controller.call({ path: `/v3/service_plans/${guid}/visibility` });
    const { organizations = [] } = json as VisibilityRecord;
    return { ...ref, isPublic: false, scopes: organizations.map(organization => organization.guid) };
  }

  /** Of these organizations those that exist: one that does not would spoil the whole request. */
  async #known(guids: readonly string[]): Promise<string[]> {
    const found = await this.#controller.listBy<OrganizationRecord>(
      '/v3/organizations',
      'guids',
      guids,
      organizationsPerQuery,
    );
    const known = new Set(found.map(({ guid }) => guid));
    const unknown = guids.filter(guid => !known.has(guid));
    if (unknown.length > 0) this.#logger.warn('organizations do not exist at the platform', { organizations: unknown });
    return guids.filter(guid => known.has(guid));
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
