import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { findOrderUrn } from '../../orders/orders.ts';
import { connectOrders } from '../../orders/orders-client.ts';
import { ordersGroup, tenantFlag } from '../../orders/orders-flags.ts';
import { resultFormats } from '../../output/print-object.ts';
import { type Listed, printList } from '../../output/print-results.ts';

/** What a container uses, as `GET …/top` returns it. */
interface Usage {
  readonly container: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly storage?: string;
  readonly 'ephemeral-storage'?: string;
}

const listedUsage: Listed<Usage & { readonly id: string }> = {
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
  formats: resultFormats,
  options: { ...tenantFlag },
  notes: ['ID is urn:ivcap:order:UUID, the UUID alone, a name, or @latest for the newest order.'],
  goal: ([id]) => `measure the order "${id}"`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using client = connectOrders(context);
    const urn = await findOrderUrn(client, context.args[0] ?? '');
    const usages = await client.ask<readonly Usage[]>(['orders', urn, 'top']);
    const items = usages.map(usage => ({ id: usage.container, ...usage }));
    printList(context, { items, listed: listedUsage, format });
    return 0;
  },
};
