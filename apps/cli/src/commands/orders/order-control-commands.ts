import type { Flags } from '../../args/flags.ts';
import { formatOf, secondsOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { waitFlags } from '../../fleet/fleet-flags.ts';
import { assertSucceeded, untilEnded } from '../../orders/follow-order.ts';
import { findOrderUrn, type OrderRecord } from '../../orders/orders.ts';
import { connectOrders } from '../../orders/orders-client.ts';
import { ordersGroup, tenantFlag } from '../../orders/orders-flags.ts';
import { resultFormats } from '../../output/print-object.ts';
import { printOne } from '../../output/print-results.ts';
import { parameterFlag, parametersOf } from '../../workflow/workflow-flags.ts';
import { defaultTimeoutSeconds, storyOf } from './order-create-command.ts';

interface Control {
  readonly verb: 'cancel' | 'retry' | 'resubmit';
  readonly summary: string;
  readonly options: Command['options'];
  readonly notes: readonly string[];
  readonly bodyOf: (flags: Flags) => object | undefined;
  /** Whether the order that is waited for must succeed. */
  readonly mustSucceed: boolean;
}

const idNote = 'ID is urn:ivcap:order:UUID, the UUID alone, a name, or @latest for the newest order.';

const controls: readonly Control[] = [
  {
    verb: 'cancel',
    summary: 'Cancel an order that has not ended',
    options: {
      terminate: { type: 'switch', about: 'End it at once, without its exit handlers. Default: false.' },
    },
    notes: [idNote],
    bodyOf: flags => ({ mode: flags.isOn('terminate') ? 'terminate' : 'stop' }),
    mustSucceed: false,
  },
  {
    verb: 'retry',
    summary: 'Start a failed order again from its failures',
    options: {
      ...parameterFlag,
      'restart-successful': {
        type: 'switch',
        about: 'Execute selected nodes again that have succeeded. Default: false.',
      },
      'node-field-selector': {
        type: 'text',
        valueName: 'FIELD=VALUE',
        about: 'Which nodes that have succeeded are executed again. Default: none.',
      },
    },
    notes: [idNote, 'Nodes that have succeeded are kept.'],
    bodyOf: retryBody,
    mustSucceed: true,
  },
  {
    verb: 'resubmit',
    summary: 'Place the same order again',
    options: {},
    notes: [idNote, 'The new order is printed, and waited for with --wait.'],
    bodyOf: () => undefined,
    mustSucceed: true,
  },
];

/** Commands that change orders. */
export const orderControlCommands: readonly Command[] = controls.map(control => ({
  name: `order ${control.verb}`,
  group: ordersGroup,
  summary: control.summary,
  usage: 'ID [flags]',
  examples: [`chandlery order ${control.verb} @latest --wait`],
  arguments: { required: ['ID'] },
  formats: resultFormats,
  options: {
    ...tenantFlag,
    ...control.options,
    ...waitFlags('it has ended, showing how far it is', defaultTimeoutSeconds),
  },
  notes: control.notes,
  rights: [
    { verb: control.verb === 'resubmit' ? 'create' : 'update', group: 'orders.chandlery.io', resource: 'orders' },
  ],
  goal: ([id]) => `${control.verb} the order "${id}"`,
  async run(context) {
    const { flags, args, stderr } = context;
    const format = formatOf(flags, resultFormats);
    const timeoutMs = secondsOf(flags, 'timeout', defaultTimeoutSeconds);
    await using client = connectOrders(context);
    const urn = await findOrderUrn(client, args[0] ?? '');
    const body = control.bodyOf(flags);
    const order = await client.ask<OrderRecord>(['orders', urn, control.verb], {
      method: 'POST',
      ...(body !== undefined && { body }),
    });
    const isWaiting = flags.isOn('wait');
    const record = isWaiting ? await untilEnded(client, order, { timeoutMs, progress: stderr }) : order;
    printOne(context, { object: record, format, render: storyOf });
    if (isWaiting && control.mustSucceed) assertSucceeded(record);
    return 0;
  },
}));

function retryBody(flags: Flags): object {
  const selector = flags.text('node-field-selector');
  const parameters = parametersOf(flags);
  return {
    'restart-successful': flags.isOn('restart-successful'),
    ...(selector !== undefined && { selector }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
}
