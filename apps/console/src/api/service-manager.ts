import { ChandleryError } from '@chandlery/api';
import { readAll, type SmItem } from './offerings.ts';
import { requestJson } from './request.ts';

/** A platform, as lists have it. */
export interface SmPlatform {
  readonly id: string;
  readonly name?: string;
  readonly type?: string;
}

/** A visibility of a plan; an empty platform stands for all. */
export interface SmVisibility {
  readonly id: string;
  readonly platform_id?: string;
  readonly service_plan_id?: string;
}

/** A broker to register. */
export interface BrokerRegistration {
  readonly name: string;
  readonly url: string;
  readonly description: string;
  /** Empty: the broker wants none. */
  readonly username: string;
  readonly password: string;
}

interface SmPage<T> {
  readonly items?: readonly T[];
  readonly num_items?: number;
}

/** The tenant that brokers, platforms and visibilities of the landscape belong to. */
export const landscapeTenant = 'service-manager';
/** Stands for every platform. */
export const everyPlatform = '*';

const path = (collection: string, id: string): string => `/v1/${collection}/${encodeURIComponent(id)}`;
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const inTenant = (tenant: string) => ({ 'x-chandlery-tenant': tenant });

/** The id of a new broker. Its credentials are in the body alone, and no response has them. */
export async function registerBroker({
  name,
  url,
  description,
  username,
  password,
}: BrokerRegistration): Promise<string> {
  const { id } = await requestJson<{ readonly id: string }>('/v1/service_brokers', {
    method: 'POST',
    body: {
      name,
      broker_url: url,
      ...(description !== '' && { description }),
      ...(username !== '' && { credentials: { basic: { username, password } } }),
    },
  });
  return id;
}

/** Reads the catalogue of a broker again. */
export const refreshBroker = (id: string): Promise<unknown> =>
  requestJson(path('service_brokers', id), { method: 'PATCH', body: {} });

/** The offerings of a broker with their plans. */
export async function readCatalogue(
  brokerId: string,
  signal: AbortSignal,
): Promise<readonly (SmItem & { readonly plans: readonly SmItem[] })[]> {
  const ofBroker = `fieldQuery=${encodeURIComponent(`broker_id eq ${quoted(brokerId)}`)}`;
  const offerings = await readAll(`/v1/service_offerings?${ofBroker}`, signal);
  const ids = offerings.map(({ id }) => id);
  const plans = await plansOf(ids, signal);
  return offerings
    .map(offering => ({
      ...offering,
      plans: plans.filter(({ service_offering_id: of }) => of === offering.id),
    }))
    .toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? ''));
}

/** As many ids as one address holds. */
const maxIds = 50;

const chunksOf = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, at) => ids.slice(at * maxIds, (at + 1) * maxIds));

async function withIds(collection: string, field: string, ids: readonly string[], signal: AbortSignal) {
  const parts = await Promise.all(
    chunksOf([...new Set(ids)]).map(some =>
      readAll(
        `/v1/${collection}?fieldQuery=${encodeURIComponent(`${field} in (${some.map(quoted).join(',')})`)}`,
        signal,
      ),
    ),
  );
  return parts.flat();
}

const plansOf = (offeringIds: readonly string[], signal: AbortSignal): Promise<readonly SmItem[]> =>
  withIds('service_plans', 'service_offering_id', offeringIds, signal);

/** The names of plans (`offering/plan`) and of platforms, by id; for those that the user may not read there is none. */
export async function readNames(
  { planIds, platformIds }: { readonly planIds: readonly string[]; readonly platformIds: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const [plans, platforms] = await Promise.all([
    withIds('service_plans', 'id', planIds, signal),
    withIds('platforms', 'id', platformIds, signal),
  ]);
  const offerings = await withIds(
    'service_offerings',
    'id',
    plans.flatMap(({ service_offering_id: id }) => id ?? []),
    signal,
  );
  const offeringNames = new Map(offerings.map(({ id, name = id }) => [id, name]));
  return new Map([
    ...plans.map(
      ({ id, name = id, service_offering_id: of = '' }) => [id, `${offeringNames.get(of) ?? of}/${name}`] as const,
    ),
    ...platforms.map(({ id, name = id }) => [id, name] as const),
  ]);
}

/** A plan is open to so many platforms at most that they are listed one by one. */
export const maxVisibilities = 200;

/** The visibilities of a plan, and how many there are. */
export async function readVisibilities(planId: string, signal: AbortSignal) {
  const page = await requestJson<SmPage<SmVisibility>>('/v1/visibilities', {
    query: { fieldQuery: `service_plan_id eq ${quoted(planId)}`, max_items: maxVisibilities },
    signal,
  });
  return { items: page.items ?? [], total: page.num_items ?? page.items?.length ?? 0 };
}

/** Platforms to choose from: a longer list is no help. */
const maxPlatforms = 200;

export const readPlatforms = async (signal: AbortSignal): Promise<readonly SmPlatform[]> =>
  (await requestJson<SmPage<SmPlatform>>('/v1/platforms', { query: { max_items: maxPlatforms }, signal })).items ?? [];

/** A plan to open, the platform to which, and the tenant that opens it. */
export interface OpeningRequest {
  readonly planId: string;
  /** A name or an id, or `*` for every platform. */
  readonly platform: string;
  readonly tenant: string;
}

/** Opens a plan to a platform. */
export async function openPlan({ planId, platform, tenant }: OpeningRequest): Promise<void> {
  await requestJson('/v1/visibilities', {
    method: 'POST',
    headers: inTenant(tenant),
    body: {
      service_plan_id: planId,
      ...(platform !== everyPlatform && { platform_id: await platformIdOf(platform) }),
    },
  });
}

async function platformIdOf(nameOrId: string): Promise<string> {
  const found = await Promise.all(
    ['name', 'id'].map(field =>
      requestJson<SmPage<SmPlatform>>('/v1/platforms', { query: { fieldQuery: `${field} eq ${quoted(nameOrId)}` } }),
    ),
  );
  const [first, ...others] = found.flatMap(({ items = [] }) => items);
  if (first === undefined)
    throw new ChandleryError(
      'NotFound',
      `There is no platform "${nameOrId}": choose one of the list, or register it first`,
    );
  if (others.some(({ id }) => id !== first.id)) {
    const ids = [first, ...others].map(({ id }) => id).join(', ');
    throw new ChandleryError('Ambiguous', `Several platforms are named "${nameOrId}": say the id, ${ids}`);
  }
  return first.id;
}

/** Closes a plan to the platform of a visibility. */
export const closePlan = (visibilityId: string): Promise<unknown> =>
  requestJson(path('visibilities', visibilityId), { method: 'DELETE' });
