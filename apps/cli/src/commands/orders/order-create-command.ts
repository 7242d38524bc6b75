import { formatOf, secondsOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import { waitFlags } from '../../fleet/fleet-flags.ts';
import { assertSucceeded, untilEnded } from '../../orders/follow-order.ts';
import { inTenant, orderOffering } from '../../orders/order-offering.ts';
import { hasEnded, type OrderRecord } from '../../orders/orders.ts';
import { connectOrders, type OrdersClient } from '../../orders/orders-client.ts';
import { ordersGroup, tenantFlag } from '../../orders/orders-flags.ts';
import { findService, servicesNamed } from '../../orders/services.ts';
import { urnOf } from '../../orders/urns.ts';
import { resultFormats } from '../../output/print-object.ts';
import { printOne } from '../../output/print-results.ts';
import { instanceRight } from '../../service-manager/sm-rights.ts';
import { parameterFlag, parametersOf } from '../../workflow/workflow-flags.ts';

/** How long orders are waited for. */
export const defaultTimeoutSeconds = 3600;

/** Orders a service. */
export const orderCreateCommand: Command = {
  name: 'order create',
  group: ordersGroup,
  summary: 'Order a service, or any other offering of the marketplace',
  usage: 'OFFERING [flags]',
  examples: [
    'chandlery order create gradient -p width=640 -p height=480 --wait',
    'chandlery order create dinosaurs --plan standard.x1 --name rex --wait',
    'chandlery order create urn:ivcap:service:7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01 --name "first try" -o json',
  ],
  arguments: { required: ['OFFERING'] },
  formats: resultFormats,
  options: {
    ...tenantFlag,
    ...parameterFlag,
    plan: { type: 'text', valueName: 'PLAN', about: 'The plan of an offering. Default: the only one, or "default".' },
    name: {
      type: 'text',
      valueName: 'NAME',
      about: 'Its name, for people. Default: none; for offerings, one is made.',
    },
    tag: { type: 'text', valueName: 'TAG', about: 'A tag of the order.', isMultiple: true },
    'idempotency-key': {
      type: 'text',
      valueName: 'KEY',
      about: 'The same order with the same key is placed once. Default: none.',
    },
    ...waitFlags('it has ended, showing how far it is', defaultTimeoutSeconds),
  },
  notes: [
    'OFFERING is the id or name of a service, or the name of an offering: "chandlery marketplace" lists them, "chandlery marketplace -s OFFERING" shows plans and parameters.',
    'With --wait the exit code is 1 when the order does not succeed.',
  ],
  rights: [instanceRight('create')],
  goal: ([service]) => `order the service "${service}"`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const timeoutMs = secondsOf(context.flags, 'timeout', defaultTimeoutSeconds);
    await using client = connectOrders(context);
    const service = await serviceOf(context, client);
    if (service === undefined) return await placeOffering(context, timeoutMs);
    const order = await place(context, client, service);
    const isWaiting = context.flags.isOn('wait');
    const record = isWaiting ? await untilEnded(client, order, { timeoutMs, progress: context.stderr }) : order;
    printOne(context, { object: record, format, render: storyOf });
    if (isWaiting) assertSucceeded(record);
    return 0;
  },
};

/** The service that is meant; undefined for another offering of the marketplace. */
async function serviceOf({ flags, args }: CommandContext, client: OrdersClient): Promise<string | undefined> {
  parametersOf(flags);
  const wanted = args[0] ?? '';
  if (flags.text('plan') !== undefined) return undefined;
  if (urnOf('service', wanted) === undefined && (await servicesNamed(client, wanted)).length === 0) return undefined;
  return (await findService(client, wanted)).id;
}

async function placeOffering(context: CommandContext, timeoutMs: number): Promise<number> {
  const { flags, args } = context;
  const format = formatOf(flags, resultFormats);
  const instance = await orderOffering(context, {
    offering: args[0] ?? '',
    plan: flags.text('plan'),
    name: flags.text('name'),
    values: parametersOf(flags),
    waitMs: flags.isOn('wait') ? timeoutMs : undefined,
  });
  const { id, name = id, ready = false } = instance;
  const next = `${ready ? `binding create ${name} BINDING` : `instance get ${name}`}${inTenant(context)}`;
  const story = `${name} ${ready ? 'is ready' : 'is being made'}\n  ID:    ${id}\n  Next:  npx chandlery ${next}\n`;
  printOne(context, { object: instance, format, render: () => story });
  return 0;
}

async function place({ flags }: CommandContext, client: OrdersClient, service: string): Promise<OrderRecord> {
  const values = parametersOf(flags);
  const [name, key, tags] = [flags.text('name'), flags.text('idempotency-key'), flags.texts('tag')];
  return await client.ask<OrderRecord>(['orders'], {
    method: 'POST',
    headers: key === undefined ? {} : { 'idempotency-key': key },
    body: {
      service,
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
