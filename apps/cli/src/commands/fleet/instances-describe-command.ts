import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { fleetFormats, fleetGroup, outputFlag, scopeFlags } from '../../fleet/fleet-flags.ts';
import { connectObjects, findInstance, scopeOf } from '../../fleet/fleet-objects.ts';
import { printOne } from '../../fleet/print-objects.ts';
import { renderInstance } from '../../fleet/render-instance.ts';

/** Shows one instance with its conditions. */
export const instancesDescribeCommand: Command = {
  name: 'fleet instances describe',
  group: fleetGroup,
  summary: 'Show an instance: where it is, how far, and its conditions',
  usage: 'INSTANCE [flags]',
  examples: ['chandlery fleet instances describe orca', 'chandlery fleet instances describe orca --org acme -o yaml'],
  arguments: { required: ['INSTANCE'] },
  options: { ...scopeFlags, ...outputFlag },
  notes: ['INSTANCE is an id, or a name; --org and --product tell several of one name apart.'],
  goal: ([wanted]) => `describe the instance "${wanted}"`,
  async run(context) {
    const format = formatOf(context.flags, fleetFormats);
    await using client = connectObjects(context);
    const object = await findInstance(client, context.args[0] ?? '', scopeOf(context.flags));
    printOne(context, { object, format, render: renderInstance });
    return 0;
  },
};
