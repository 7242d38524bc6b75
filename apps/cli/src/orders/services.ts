import { ChandleryError, formatAge } from '@chandlery/api';
import { renderPairs } from '../fleet/render-parts.ts';
import type { Listed } from '../output/print-results.ts';
import { formatTable } from '../output/table.ts';
import type { OrdersClient } from './orders-client.ts';
import { quoted, urnOf } from './urns.ts';

/** A service in a list. */
export interface ServiceItem {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly 'controller-schema'?: string;
  readonly 'valid-from'?: string;
}

/** A parameter of a service. */
interface ServiceParameter {
  readonly name: string;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly optional?: boolean;
  readonly constant?: boolean;
}

/** A service as a record. */
export interface ServiceRecord extends ServiceItem {
  readonly tags?: readonly string[];
  readonly status?: string;
  readonly account?: string;
  readonly policy?: string;
  readonly parameters?: readonly ServiceParameter[];
  readonly links?: readonly { readonly rel: string; readonly href: string }[];
}

/** Columns of the list of services. */
export const listedServices: Listed<ServiceItem> = {
  noun: 'service',
  columns: [
    ['name', ({ name = '' }) => name],
    ['id', ({ id }) => id, 'wide'],
    ['model', modelOf],
    ['age', (service, now) => formatAge(service['valid-from'], now)],
    ['description', ({ description = '' }) => firstLine(description)],
  ],
  whenEmpty: 'Create one: npx chandlery service apply -f FILE',
};

/** The service that a URN, a UUID or a name means. Rejects with `NotFound` and `Ambiguous`. */
export async function findService(client: OrdersClient, wanted: string): Promise<ServiceRecord> {
  const urn = urnOf('service', wanted) ?? (await findUrn(client, wanted));
  return await client.ask<ServiceRecord>(['services2', urn]);
}

async function findUrn(client: OrdersClient, name: string): Promise<string> {
  const found = await servicesNamed(client, name);
  const [first, second] = found;
  if (first === undefined)
    throw new ChandleryError('NotFound', `there is no service "${name}"`, {
      hint: 'See what there is with "npx chandlery service list".',
    });
  if (second !== undefined)
    throw new ChandleryError('Ambiguous', `${found.length} services have the name "${name}"`, {
      hint: `Say which one by its id: ${found.map(({ id }) => id).join(', ')}`,
    });
  return first.id;
}

/** The services of a name. */
export const servicesNamed = (client: OrdersClient, name: string): Promise<readonly ServiceItem[]> =>
  Array.fromAsync(client.list<ServiceItem>(['services2'], { filter: `name == ${quoted(name)}` }));

/** Everything worth reading about a service, with what an order can say. */
export function renderService(service: ServiceRecord): string {
  const pairs = renderPairs([
    ['Name', service.name],
    ['ID', service.id],
    ['Description', service.description?.trim().replaceAll('\n', ' ')],
    ['Model', service['controller-schema']],
    ['Status', service.status],
    ['Tags', service.tags?.join(', ')],
    ['Account', service.account],
    ['Policy', service.policy],
    ['Changed', service['valid-from']],
    ...(service.links ?? []).filter(({ rel }) => rel !== 'self').map(({ rel, href }) => [`Link ${rel}`, href] as const),
  ]);
  const rows = (service.parameters ?? []).map(parameter => [
    parameter.name,
    parameter.type ?? 'string',
    defaultText(parameter),
    firstLine(parameter.description ?? ''),
  ]);
  return rows.length === 0 ? pairs : `${pairs}\n${formatTable(['parameter', 'type', 'default', 'description'], rows)}`;
}

function defaultText({ default: value, optional = false, constant = false }: ServiceParameter): string {
  if (value === undefined) return optional ? 'optional' : 'required';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return constant ? `${text} (constant)` : text;
}

/** `basic.1` of `urn:ivcap:schema:service.basic.1`. */
function modelOf(service: ServiceItem): string {
  return (service['controller-schema'] ?? '').replace(/^urn:[^:]+:schema[:.](service\.)?/, '');
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
