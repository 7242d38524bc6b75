import { requestJson } from './request.ts';

/** Something that can be ordered, with the plans that the user may order. */
export interface Offering {
  readonly id: string;
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  readonly description: string;
  readonly origin: Origin;
  readonly plans: readonly Plan[];
}

/** The types of who offers something, in the order in which they are shown. */
export const originTypes = ['provider', 'fleet', 'orders', 'broker'] as const;

/** Who offers something. */
export interface Origin {
  readonly type: (typeof originTypes)[number];
  /** The provider or the broker; empty when the user may not know it. */
  readonly name: string;
}

export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isFree: boolean;
  /** The JSON schema of the parameters. Undefined: the plan does not say. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** An item of a list of the service manager, as far as it is read. */
export interface SmItem {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly broker_id?: string;
  readonly service_offering_id?: string;
  readonly free?: boolean;
  readonly metadata?: { readonly displayName?: unknown; readonly providerDisplayName?: unknown };
  readonly schemas?: { readonly service_instance?: { readonly create?: { readonly parameters?: Plan['schema'] } } };
}

/** Shared instances are referred to by a plan of their own, which is not for direct orders. */
const referencePlan = 'reference-instance';

/** The whole marketplace of the user, whichever domain or broker an offering is from. */
export async function readOfferings(signal: AbortSignal): Promise<readonly Offering[]> {
  const [offerings, plans, brokers] = await Promise.all([
    readAll('/v1/service_offerings', signal),
    readAll('/v1/service_plans?orderable=true', signal),
    readAll('/v1/service_brokers', signal),
  ]);
  const brokerNames = new Map(brokers.map(({ id, name = '' }) => [id, name]));
  return offerings
    .map(offering => ({ ...offering, name: offering.name ?? '' }))
    .map(({ id, name, description = '', metadata = {}, ...rest }) => ({
      id,
      name,
      title: textOf(metadata.displayName) || name,
      description,
      origin: originOf(rest.broker_id ?? '', textOf(metadata.providerDisplayName), brokerNames),
      plans: plans.filter(plan => plan.service_offering_id === id && plan.name !== referencePlan).map(planOf),
    }))
    .filter(({ plans: orderable }) => orderable.length > 0)
    .toSorted((one, other) => one.title.localeCompare(other.title));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The brokers of what the landscape offers itself, by their ids without the tenant whose catalogue it is. */
const landscapeBrokers: Readonly<Record<string, Origin['type']>> = {
  'landscape-providers': 'provider',
  'landscape-fleet': 'fleet',
  'landscape-orders': 'orders',
};

/** Who offers an offering, by its broker. */
export function originOf(brokerId: string, provider: string, brokerNames: ReadonlyMap<string, string>): Origin {
  const type = landscapeBrokers[brokerId.split('.')[0] ?? ''] ?? 'broker';
  return { type, name: type === 'provider' ? provider : type === 'broker' ? (brokerNames.get(brokerId) ?? '') : '' };
}

function planOf({ id, name = '', description = '', free = true, schemas }: SmItem): Plan {
  const schema = schemas?.service_instance?.create?.parameters;
  return { id, name, description, isFree: free, ...(schema && { schema }) };
}

const pageSize = 200;

/** Reads a whole list, page by page. */
export async function readAll(path: string, signal: AbortSignal): Promise<readonly SmItem[]> {
  const [base = '', fixed = ''] = path.split('?');
  const items: SmItem[] = [];
  let token: string | undefined;
  do {
    const query = { ...Object.fromEntries(new URLSearchParams(fixed)), max_items: pageSize, token };
    const page = await requestJson<{ items?: readonly SmItem[]; token?: string }>(base, { query, signal });
    items.push(...(page.items ?? []));
    token = page.token;
  } while (token !== undefined);
  return items;
}
