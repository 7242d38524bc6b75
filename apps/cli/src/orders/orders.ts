import { ChandleryError, formatAge, formatElapsed } from '@chandlery/api';
import { renderPairs } from '../fleet/render-parts.ts';
import { formatBytes } from '../output/byte-progress.ts';
import type { Listed } from '../output/print-results.ts';
import { oneLine } from '../output/report-error.ts';
import { formatTable } from '../output/table.ts';
import type { ArtifactRecord } from './artifacts.ts';
import type { OrdersClient } from './orders-client.ts';
import { take } from './orders-flags.ts';
import { quoted, urnOf } from './urns.ts';

/** An order in a list. */
export interface OrderItem {
  readonly id: string;
  readonly name?: string;
  readonly service: string;
  readonly status: string;
  readonly account?: string;
  readonly 'ordered-at'?: string;
  readonly 'started-at'?: string;
  readonly 'finished-at'?: string;
}

/** An order as a record. */
export interface OrderRecord extends OrderItem {
  readonly parameters?: readonly { readonly name: string; readonly value: string }[];
  readonly tags?: readonly string[];
  readonly warnings?: readonly string[];
  readonly suspended?: boolean;
  readonly retries?: number;
  readonly runs?: number;
  readonly result?: unknown;
  readonly 'resubmit-of'?: string;
  readonly 'error-message'?: string;
  readonly products?: { readonly items?: readonly ArtifactRecord[] };
  readonly links?: readonly { readonly rel: string; readonly href: string }[];
}

/** Stands for the newest order. */
const latest = '@latest';

const endStatuses: ReadonlySet<string> = new Set(['succeeded', 'failed', 'error', 'cancelled']);

/** Whether an order has ended. */
export const hasEnded = ({ status }: OrderItem): boolean => endStatuses.has(status);

/** Columns of the list of orders. `serviceNames`: by URN. */
export const listedOrders = (serviceNames: ReadonlyMap<string, string> = new Map()): Listed<OrderItem> => ({
  noun: 'order',
  columns: [
    // The UUID alone is an id, too, and leaves room on a terminal.
    ['id', ({ id }) => id.replace(/^urn:ivcap:order:/, '')],
    ['name', ({ name = '' }) => name],
    ['service', ({ service }) => serviceNames.get(service) ?? service.replace(/^urn:ivcap:service:/, '')],
    ['status', ({ status }) => status],
    ['age', (order, now) => formatAge(order['ordered-at'], now)],
    ['duration', runTime],
  ],
  whenEmpty,
});

const whenEmpty = 'Order a service: npx chandlery order create OFFERING ("npx chandlery marketplace" lists them)';

function runTime(order: OrderItem, now: Date): string {
  const { 'started-at': startedAt, 'finished-at': finishedAt } = order;
  return formatElapsed({ ...(startedAt && { startedAt }), ...(finishedAt && { finishedAt }) }, now);
}

/** The URN of the order that a URN, a UUID, a name or `@latest` means. Rejects with `InvalidId`, `Ambiguous`, `NotFound`. */
export async function findOrderUrn(client: OrdersClient, wanted: string): Promise<string> {
  if (wanted === latest) {
    const [newest] = await take(client.list<OrderItem>(['orders']), 1);
    if (newest !== undefined) return newest.id;
    throw new ChandleryError('NotFound', 'there is no order', { hint: whenEmpty });
  }
  const urn = urnOf('order', wanted) ?? (await urnOfName(client, wanted));
  if (urn !== undefined) return urn;
  throw new ChandleryError('InvalidId', `"${wanted}" is not the id or name of an order`, {
    hint: 'An id is urn:ivcap:order: and a UUID, or the UUID alone; "npx chandlery order list" shows them.',
  });
}

async function urnOfName(client: OrdersClient, name: string): Promise<string | undefined> {
  const [found, another] = await take(client.list<OrderItem>(['orders'], { filter: `name == ${quoted(name)}` }), 2);
  if (another === undefined) return found?.id;
  throw new ChandleryError('Ambiguous', `several orders have the name "${name}"`, {
    hint: 'Say which one by its id: "npx chandlery order list" shows them.',
  });
}

/** The order that a URN, a UUID, a name or `@latest` means. */
export const findOrder = async (client: OrdersClient, wanted: string): Promise<OrderRecord> =>
  await client.ask<OrderRecord>(['orders', await findOrderUrn(client, wanted)]);

/** What an order does not say itself. */
export interface OrderContext {
  /** The drawing of its nodes. */
  readonly tree: string;
  /** The name of its service; undefined when it cannot be read. */
  readonly serviceName: string | undefined;
}

/** Everything worth reading about an order. */
export function renderOrder(order: OrderRecord, { tree, serviceName }: OrderContext): string {
  const now = new Date();
  const orderedAt = order['ordered-at'];
  const pairs = renderPairs([
    ['ID', order.id],
    ['Name', order.name],
    ['Service', serviceName === undefined ? order.service : `${serviceName} (${order.service})`],
    ['Status', order.suspended === true ? `${order.status} (suspended)` : order.status],
    ['Message', oneLine(order['error-message'] ?? '')],
    ['Warnings', order.warnings?.map(oneLine).join('; ')],
    ['Ordered', orderedAt && `${wholeSeconds(orderedAt)} (${formatAge(orderedAt, now)} ago)`],
    ['Started', wholeSeconds(order['started-at'])],
    ['Finished', wholeSeconds(order['finished-at'])],
    ['Duration', runTime(order, now)],
    ['Retries', countText(order.retries)],
    ['Runs', countText(order.runs)],
    ['Resubmit of', order['resubmit-of']],
    ['Tags', order.tags?.join(', ')],
    ['Parameters', (order.parameters ?? []).map(({ name, value }) => `${name}=${oneLine(value)}`).join(', ')],
    ['Result', order.result === undefined ? undefined : JSON.stringify(order.result)],
    ['Workflow', linkOf(order, 'workflow')],
    ['Proxy', linkOf(order, 'proxy')],
  ]);
  return [pairs, productTable(order), tree].filter(text => text !== '').join('\n');
}

const wholeSeconds = (time: string | undefined): string | undefined => time?.replace(/\.\d+/, '');

/** The address of a link of an order. */
export const linkOf = ({ links = [] }: OrderRecord, wanted: string): string | undefined =>
  links.find(({ rel }) => rel === wanted)?.href;

const countText = (count = 0): string => (count === 0 ? '' : String(count));

function productTable({ products }: OrderRecord): string {
  const rows = (products?.items ?? []).map(product => [
    product.id,
    product.name ?? '',
    product['mime-type'] ?? '',
    formatBytes(product.size ?? 0),
  ]);
  return rows.length === 0 ? '' : formatTable(['product', 'name', 'type', 'size'], rows);
}
