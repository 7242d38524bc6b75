import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { printList } from '../../output/print-results.ts';
import { fleetGroup, scopeFlags } from '../fleet-flags.ts';
import { connectObjects, listInstances, listRecords, scopeOf } from '../fleet-objects.ts';
import { listedInstances, listedRecords } from '../render-instance.ts';

/** Lists the instances of all products and organisations. */
export const instancesListCommand: Command = {
  name: 'fleet instance list',
  group: fleetGroup,
  summary: 'List the instances of all organisations',
  usage: '[flags]',
  examples: [
    'chandlery fleet instance list',
    'chandlery fleet instance list --org acme --product dinosaurs',
    'chandlery fleet instance list --deleted -o json',
  ],
  formats: resultFormats,
  options: {
    ...scopeFlags,
    deleted: { type: 'switch', about: 'What remains of deleted instances, the newest first.' },
  },
  goal: () => 'list the instances of the fleet',
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const scope = scopeOf(context.flags);
    await using client = connectObjects(context);
    if (context.flags.isOn('deleted'))
      printList(context, { items: await listRecords(client, scope), listed: listedRecords, format });
    else printList(context, { items: await listInstances(client, scope), listed: listedInstances, format });
    return 0;
  },
};
