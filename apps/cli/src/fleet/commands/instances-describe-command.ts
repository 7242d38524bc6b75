import { ChandleryError } from '@chandlery/api';
import type { FleetInstance } from '@chandlery/fleet/kinds';
import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { printOne } from '../../output/print-results.ts';
import { fleetGroup, scopeFlags } from '../fleet-flags.ts';
import { connectObjects, findInstance, scopeOf } from '../fleet-objects.ts';
import { renderInstance } from '../render-instance.ts';

const formats = [...resultFormats, 'url'] as const;

/** Shows one instance with its conditions. */
export const instancesDescribeCommand: Command = {
  name: 'fleet instance describe',
  group: fleetGroup,
  summary: 'Show an instance: where it is, how far, and its conditions',
  usage: 'INSTANCE [flags]',
  examples: [
    'chandlery fleet instance describe orca',
    'chandlery fleet instance describe orca --org acme -o yaml',
    'chandlery fleet instance describe orca -o url',
  ],
  arguments: { required: ['INSTANCE'] },
  formats,
  options: scopeFlags,
  notes: [
    'INSTANCE is an id, or a name; --org and --product distinguish several of one name. "-o url" prints only where it is reached.',
  ],
  goal: ([wanted]) => `describe the instance "${wanted}"`,
  async run(context) {
    const format = formatOf(context.flags, formats);
    await using client = connectObjects(context);
    const object = await findInstance(client, context.args[0] ?? '', scopeOf(context.flags));
    if (format === 'url') context.stdout.write(`${urlOf(object)}\n`);
    else printOne(context, { object, format, render: renderInstance });
    return 0;
  },
};

function urlOf({ status }: FleetInstance): string {
  if (status?.adminUrl !== undefined) return status.adminUrl;
  const state = status?.state ?? 'not admitted yet';
  throw new ChandleryError('NotReady', `its agent has reported no address; its state is ${state}`, {
    hint: 'Order with --wait, or check it later.',
  });
}
