import { isError } from '@chandlery/api';
import { formatOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import {
  findOrder,
  findOrderUrn,
  linkOf,
  listedOrders,
  type OrderContext,
  type OrderItem,
  type OrderRecord,
  renderOrder,
} from '../../orders/orders.ts';
import { connectOrders, type OrdersClient } from '../../orders/orders-client.ts';
import { limitFlag, limitOf, ordersGroup, take, tenantFlag } from '../../orders/orders-flags.ts';
import { findService, type ServiceRecord } from '../../orders/services.ts';
import { quoted } from '../../orders/urns.ts';
import { isForPeople, resultFormats } from '../../output/print-object.ts';
import { printList, printOne } from '../../output/print-results.ts';
import { drawNodes } from '../../workflow/draw-nodes.ts';
import { paintSymbols } from '../../workflow/paint-symbols.ts';
import { loadWorkflow } from '../../workflow/workflow-module.ts';
import { connectWorkflows, findWorkflow, nodesOf, type WorkflowObject } from '../../workflow/workflow-objects.ts';

/** Lists orders. */
export const orderListCommand: Command = {
  name: 'order list',
  group: ordersGroup,
  summary: 'List orders, the newest first',
  usage: '[flags]',
  examples: ['chandlery order list', 'chandlery order list --status failed', 'chandlery order list --service gradient'],
  formats: resultFormats,
  options: {
    ...tenantFlag,
    status: {
      type: 'text',
      valueName: 'STATUS',
      about: 'Only orders in this status, such as executing. Default: all.',
    },
    service: { type: 'text', valueName: 'SERVICE', about: 'Only orders of this service. Default: of all.' },
    ...limitFlag,
  },
  goal: () => 'list the orders',
  async run(context) {
    const { flags } = context;
    const format = formatOf(flags, resultFormats);
    const limit = limitOf(flags);
    await using client = connectOrders(context);
    const [status, service] = [flags.text('status'), flags.text('service')];
    const filter = [
      ...(status === undefined ? [] : [`status == ${quoted(status)}`]),
      ...(service === undefined ? [] : [`service == ${quoted((await findService(client, service)).id)}`]),
    ].join(' && ');
    const items = await take(client.list<OrderItem>(['orders'], filter === '' ? {} : { filter }), limit);
    const names = isForPeople(format) ? await serviceNames(client, items) : undefined;
    printList(context, { items, listed: listedOrders(names), format });
    return 0;
  },
};

/** The names of the services of orders, as far as the caller may read them. */
async function serviceNames(client: OrdersClient, orders: readonly OrderItem[]): Promise<ReadonlyMap<string, string>> {
  const urns = [...new Set(orders.map(({ service }) => service))];
  const entries = await Promise.all(
    urns.map(async urn => {
      const { name = urn } = await client.ask<ServiceRecord>(['services2', urn]).catch(() => ({ name: urn }));
      return [urn, name] as const;
    }),
  );
  return new Map(entries);
}

/** Shows one order. */
export const orderDescribeCommand: Command = {
  name: 'order describe',
  group: ordersGroup,
  summary: 'Show an order: its status, products, and the tree of its nodes',
  usage: 'ID [flags]',
  examples: [
    'chandlery order describe @latest',
    'chandlery order describe 7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01 -o yaml',
  ],
  arguments: { required: ['ID'] },
  formats: resultFormats,
  options: { ...tenantFlag },
  notes: [
    'ID is urn:ivcap:order:UUID, the UUID alone, a name, or @latest for the newest order.',
    'The tree is shown to those who may read Workflows on the cluster "platform"; that of an order on another cluster to all who may read the order.',
  ],
  goal: ([id]) => `describe the order "${id}"`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using client = connectOrders(context);
    const record = await findOrder(client, context.args[0] ?? '');
    const about = isForPeople(format) ? await contextOf(context, client, record) : { tree: '', serviceName: undefined };
    printOne(context, { object: record, format, render: order => renderOrder(order, about) });
    return 0;
  },
};

async function contextOf(context: CommandContext, client: OrdersClient, order: OrderRecord): Promise<OrderContext> {
  const serviceName = (await serviceNames(client, [order])).get(order.service);
  return {
    tree: await treeOf(context, client, order),
    serviceName: serviceName === order.service ? undefined : serviceName,
  };
}

/** The nodes of the order's Workflow; empty when there is none, or the user may not read it. */
async function treeOf(context: CommandContext, orders: OrdersClient, order: OrderRecord): Promise<string> {
  try {
    const workflow = await workflowOf(context, orders, order);
    if (workflow === undefined) return '';
    const { podNameOf } = await loadWorkflow();
    const { name = '' } = workflow.metadata;
    const tree = drawNodes(nodesOf(workflow), { workflow: name, now: new Date(), podNameOf });
    return paintSymbols(context.stdout, context.env)(tree);
  } catch (thrown) {
    if (isError(thrown, 'NotFound', 'Forbidden', 'Unauthorized')) return '';
    throw thrown;
  }
}

/** The Workflow on the platform cluster, or what the REST API shows of one on another cluster. */
async function workflowOf(context: CommandContext, orders: OrdersClient, order: OrderRecord) {
  const href = linkOf(order, 'workflow') ?? '';
  if (href.endsWith('/workflow')) return orders.ask<WorkflowObject>(['orders', order.id, 'workflow']);
  const [, namespace, name] = /\/namespaces\/([^/]+)\/workflows\/([^/]+)$/.exec(href) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  await using client = connectWorkflows(context);
  return await findWorkflow(client, namespace, name);
}

/** Prints the log of an order. */
export const orderLogsCommand: Command = {
  name: 'order logs',
  group: ordersGroup,
  summary: 'Print what the containers of an order have printed',
  usage: 'ID [flags]',
  examples: ['chandlery order logs @latest -w', 'chandlery order logs 7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01'],
  arguments: { required: ['ID'] },
  formats: [],
  options: {
    ...tenantFlag,
    follow: { type: 'switch', short: 'w', former: ['f'], about: 'Continue until the order has ended. Default: false.' },
  },
  notes: [
    'ID is urn:ivcap:order:UUID, the UUID alone, a name, or @latest for the newest order. Logs are kept after the pods are deleted.',
  ],
  goal: ([id]) => `print the log of the order "${id}"`,
  async run(context) {
    const { flags, args, stdout } = context;
    await using client = connectOrders(context);
    const urn = await findOrderUrn(client, args[0] ?? '');
    const isFollowed = flags.isOn('follow');
    const { body } = await client.send(['orders', urn, 'logs'], {
      query: isFollowed ? { follow: true } : {},
      isEndless: isFollowed,
    });
    for await (const bytes of body) stdout.write(bytes);
    return 0;
  },
};
