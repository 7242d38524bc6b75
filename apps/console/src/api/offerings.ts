import { requestJson } from './request.ts';

/** Something that can be ordered, with the plans that the user may order. */
export interface Offering {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly broker: string;
  readonly plans: readonly Plan[];
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
    .map(({ id, name = '', description = '', broker_id: broker = '' }) => ({
      id,
      name,
      description,
      broker: brokerNames.get(broker) ?? '',
      plans: plans.filter(plan => plan.service_offering_id === id && plan.name !== referencePlan).map(planOf),
    }))
    .filter(({ plans: orderable }) => orderable.length > 0)
    .toSorted((one, other) => one.name.localeCompare(other.name));
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
