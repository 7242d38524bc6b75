import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { fleetFormats, fleetGroup, outputFlag, scopeFlags } from '../fleet-flags.ts';
import { connectObjects, listInstances, listRecords, scopeOf } from '../fleet-objects.ts';
import { printList } from '../print-objects.ts';
import { listedInstances, listedRecords } from '../render-instance.ts';

/** Lists the instances of all products and organisations. */
export const instancesListCommand: Command = {
  name: 'fleet instances list',
  group: fleetGroup,
  summary: 'List the instances of all organisations',
  usage: '[flags]',
  examples: [
    'chandlery fleet instances list',
    'chandlery fleet instances list --org acme --product dinosaurs',
    'chandlery fleet instances list --deleted -o json',
  ],
  options: {
    ...scopeFlags,
    deleted: { type: 'switch', about: 'What remains of deleted instances, the newest first.' },
    ...outputFlag,
  },
  goal: () => 'list the instances of the fleet',
  async run(context) {
    const format = formatOf(context.flags, fleetFormats);
    const scope = scopeOf(context.flags);
    await using client = connectObjects(context);
    if (context.flags.isOn('deleted'))
      printList(context, { items: await listRecords(client, scope), listed: listedRecords, format });
    else printList(context, { items: await listInstances(client, scope), listed: listedInstances, format });
    return 0;
  },
};
