import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { findOrderUrn } from '../../orders/orders.ts';
import { connectOrders } from '../../orders/orders-client.ts';
import { ordersGroup, recordFormats, recordOutputFlag, tenantFlag } from '../../orders/orders-flags.ts';
import { type ListedRecords, printRecords } from '../../orders/print-records.ts';

/** What a container uses, as `GET …/top` returns it. */
interface Usage {
  readonly container: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly storage?: string;
  readonly 'ephemeral-storage'?: string;
}

const listedUsage: ListedRecords<Usage & { readonly id: string }> = {
  noun: 'container',
  columns: [
    ['CONTAINER', ({ container }) => container],
    ['CPU', ({ cpu = '' }) => cpu],
    ['MEMORY', ({ memory = '' }) => memory],
    ['STORAGE', ({ storage = '' }) => storage],
    ['EPHEMERAL-STORAGE', usage => usage['ephemeral-storage'] ?? ''],
  ],
  whenEmpty: 'No container of the order runs at present, or none that is measured.',
};

/** Shows what the containers of an order use. */
export const orderTopCommand: Command = {
  name: 'order top',
  group: ordersGroup,
  summary: 'Show what the running containers of an order use',
  usage: 'ID [flags]',
  examples: ['chandlery order top @latest'],
  arguments: { required: ['ID'] },
  options: { ...tenantFlag, ...recordOutputFlag },
  notes: ['ID is urn:ivcap:order:UUID, the UUID alone, or @latest for the newest order.'],
  goal: ([id]) => `measure the order "${id}"`,
  async run(context) {
    const format = formatOf(context.flags, recordFormats);
    await using client = connectOrders(context);
    const urn = await findOrderUrn(client, context.args[0] ?? '');
    const usages = await client.ask<readonly Usage[]>(['orders', urn, 'top']);
    const items = usages.map(usage => ({ id: usage.container, ...usage }));
    printRecords(context, { items, listed: listedUsage, format });
    return 0;
  },
};
