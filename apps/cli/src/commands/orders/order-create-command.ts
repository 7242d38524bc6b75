import { formatOf, secondsOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import { waitFlags } from '../../fleet/fleet-flags.ts';
import { assertSucceeded, untilEnded } from '../../orders/follow-order.ts';
import { hasEnded, type OrderRecord } from '../../orders/orders.ts';
import { connectOrders, type OrdersClient } from '../../orders/orders-client.ts';
import { ordersGroup, recordFormats, recordOutputFlag, tenantFlag } from '../../orders/orders-flags.ts';
import { printRecord } from '../../orders/print-records.ts';
import { findService } from '../../orders/services.ts';
import { parameterFlag, parametersOf } from '../../workflow/workflow-flags.ts';

/** How long orders are waited for. */
export const defaultTimeoutSeconds = 3600;

/** Orders a service. */
export const orderCreateCommand: Command = {
  name: 'order create',
  group: ordersGroup,
  summary: 'Order a service',
  usage: 'SERVICE [flags]',
  examples: [
    'chandlery order create gradient -p width=640 -p height=480 --wait',
    'chandlery order create urn:ivcap:service:7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01 --name "first try" -o json',
  ],
  arguments: { required: ['SERVICE'] },
  options: {
    ...tenantFlag,
    ...parameterFlag,
    name: { type: 'text', valueName: 'NAME', about: 'Its name, for people. Default: none.' },
    tag: { type: 'text', valueName: 'TAG', about: 'A tag of the order.', isMultiple: true },
    'idempotency-key': {
      type: 'text',
      valueName: 'KEY',
      about: 'The same order with the same key is placed once. Default: none.',
    },
    ...waitFlags('it has ended, showing how far it is', defaultTimeoutSeconds),
    ...recordOutputFlag,
  },
  notes: [
    'SERVICE is an id, or a name. "chandlery service describe SERVICE" lists its parameters; an artifact is given by its id.',
    'With --wait the exit code is 1 when the order does not succeed.',
  ],
  goal: ([service]) => `order the service "${service}"`,
  async run(context) {
    const format = formatOf(context.flags, recordFormats);
    const timeoutMs = secondsOf(context.flags, 'timeout', defaultTimeoutSeconds);
    await using client = connectOrders(context);
    const order = await place(context, client);
    const isWaiting = context.flags.isOn('wait');
    const record = isWaiting ? await untilEnded(client, order, { timeoutMs, progress: context.stderr }) : order;
    printRecord(context, { record, format, render: storyOf });
    if (isWaiting) assertSucceeded(record);
    return 0;
  },
};

async function place({ flags, args }: CommandContext, client: OrdersClient): Promise<OrderRecord> {
  const values = parametersOf(flags);
  const { id } = await findService(client, args[0] ?? '');
  const [name, key, tags] = [flags.text('name'), flags.text('idempotency-key'), flags.texts('tag')];
  return await client.ask<OrderRecord>(['orders'], {
    method: 'POST',
    headers: key === undefined ? {} : { 'idempotency-key': key },
    body: {
      service: id,
      parameters: Object.entries(values).map(([parameter, value]) => ({ name: parameter, value })),
      ...(name !== undefined && { name }),
      ...(tags.length > 0 && { tags }),
    },
  });
}

/** What happened to an order, and what to do next. */
export function storyOf(order: OrderRecord): string {
  const products = (order.products?.items ?? []).map(({ id, name = '' }) => `  Product:  ${id} ${name}`.trimEnd());
  const next = hasEnded(order) ? `order logs ${order.id}` : `order describe ${order.id}`;
  return [
    `${order.id} ${order.status}`,
    ...(order.warnings ?? []).map(warning => `  Warning:  ${warning}`),
    ...products,
    `  Next:     npx chandlery ${next}`,
    '',
  ].join('\n');
}
