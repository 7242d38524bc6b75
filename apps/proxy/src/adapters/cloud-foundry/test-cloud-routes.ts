import type { PlanRecord } from './records.ts';
import type { BrokerBody, CloudPlan, CloudState } from './test-cloud-state.ts';

/** A request to the double. */
export interface CloudRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly json: unknown;
  /** Where the double is, for links. */
  readonly origin: string;
}

/** What the double answers. */
export interface CloudResponse {
  readonly status: number;
  readonly json?: unknown;
  readonly location?: string;
}

const notFound: CloudResponse = { status: 404, json: { errors: [{ code: 10010, detail: 'Resource not found' }] } };

/** Answers what the Cloud Controller would, for what a proxy asks. */
export async function respondCloud(state: CloudState, request: CloudRequest): Promise<CloudResponse> {
  const [, , collection, guid, part, item] = request.path.split('/');
  switch (collection) {
    case 'service_brokers':
      return respondBrokers(state, request, guid);
    case 'service_offerings':
      return page(request, narrowed(request, 'service_broker_guids', state.offerings.values(), brokerOfOffering));
    case 'service_plans':
      if (guid === undefined) return respondPlans(state, request);
      return part === 'visibility' ? respondVisibility(state, request, { guid, item }) : notFound;
    case 'organizations':
      return page(
        request,
        narrowed(request, 'guids', state.organizations.values(), ({ guid: own }) => own),
      );
    case 'jobs': {
      const job = await state.jobs.get(guid ?? '');
      return job === undefined ? notFound : { status: 200, json: { guid, ...job } };
    }
    default:
      return notFound;
  }
}

function respondBrokers(state: CloudState, request: CloudRequest, guid: string | undefined): CloudResponse {
  const { method, json, origin } = request;
  const job = (id: string): CloudResponse => ({ status: 202, location: `${origin}/v3/jobs/${id}` });
  const body = json as BrokerBody;
  if (guid === undefined && method === 'POST') {
    const isTaken = [...state.brokers.values()].some(({ record }) => record.name === body.name);
    return isTaken ? rejected('Name must be unique') : job(state.createBroker(body));
  }
  if (guid === undefined)
    return page(
      request,
      [...state.brokers.values()].map(({ record }) => record),
    );
  if (!state.brokers.has(guid)) return notFound;
  if (method === 'PATCH') return job(state.updateBroker(guid, body));
  return method === 'DELETE' ? job(state.deleteBroker(guid)) : notFound;
}

function respondPlans(state: CloudState, request: CloudRequest): CloudResponse {
  const records = [...state.plans.values()].map(({ record }) => record);
  const ofOffering = narrowed(
    request,
    'service_offering_guids',
    records,
    ({ relationships }) => relationships.service_offering.data.guid,
  );
  const brokerOf = ({ relationships }: PlanRecord): string => {
    const offering = state.offerings.get(relationships.service_offering.data.guid);
    return offering === undefined ? '' : brokerOfOffering(offering);
  };
  const ofBroker = narrowed(request, 'service_broker_guids', ofOffering, brokerOf);
  const ofCatalog = narrowed(request, 'broker_catalog_ids', ofBroker, ({ broker_catalog }) => broker_catalog.id);
  const answer = page(request, ofCatalog);
  if (request.query.get('include') !== 'service_offering') return answer;
  const { resources } = answer.json as { readonly resources: readonly PlanRecord[] };
  const guids = new Set(resources.map(({ relationships }) => relationships.service_offering.data.guid));
  const service_offerings = [...guids].map(guid => state.offerings.get(guid));
  return { ...answer, json: { ...(answer.json as object), included: { service_offerings } } };
}

interface VisibilityBody {
  readonly type: 'public' | 'admin' | 'organization';
  readonly organizations?: readonly { readonly guid: string }[];
}

function respondVisibility(
  state: CloudState,
  { method, json }: CloudRequest,
  { guid, item }: { readonly guid: string; readonly item: string | undefined },
): CloudResponse {
  const plan = state.plans.get(guid);
  if (plan === undefined) return notFound;
  if (method === 'DELETE') return plan.organizations.delete(item ?? '') ? { status: 204 } : notFound;
  if (method === 'GET') return { status: 200, json: visibilityOf(state, plan) };
  const { type, organizations = [] } = json as VisibilityBody;
  if (organizations.some(({ guid: wanted }) => !state.organizations.has(wanted)))
    return rejected('Could not find Organizations');
  // POST adds to the organizations there are, PATCH replaces them.
  if (method === 'PATCH' || type !== plan.record.visibility_type) plan.organizations.clear();
  for (const { guid: added } of organizations) plan.organizations.add(added);
  state.setVisibility(plan, type);
  return { status: 200, json: visibilityOf(state, state.plans.get(guid) ?? plan) };
}

const visibilityOf = ({ organizations }: CloudState, plan: CloudPlan) => ({
  type: plan.record.visibility_type,
  ...(plan.record.visibility_type === 'organization'
    ? { organizations: [...plan.organizations].map(guid => organizations.get(guid)) }
    : {}),
});

const brokerOfOffering = ({
  relationships,
}: {
  readonly relationships: { readonly service_broker: { readonly data: { readonly guid: string } } };
}): string => relationships.service_broker.data.guid;

function narrowed<T>({ query }: CloudRequest, name: string, items: Iterable<T>, valueOf: (item: T) => string): T[] {
  const wanted = query.get(name)?.split(/,\s*/).map(decodeURIComponent);
  return [...items].filter(item => wanted?.includes(valueOf(item)) ?? true);
}

/** Pages are small, so that a client that ignores paging fails. */
const maxPageSize = 2;

function page({ query, path, origin }: CloudRequest, items: readonly unknown[]): CloudResponse {
  const number = Number(query.get('page') ?? '1');
  const end = number * maxPageSize;
  const next = new URLSearchParams(query);
  next.set('page', String(number + 1));
  const link = items.length > end ? { href: `${origin}${path}?${next}` } : null;
  return { status: 200, json: { pagination: { next: link }, resources: items.slice(end - maxPageSize, end) } };
}

const rejected = (detail: string): CloudResponse => ({ status: 422, json: { errors: [{ code: 10008, detail }] } });
