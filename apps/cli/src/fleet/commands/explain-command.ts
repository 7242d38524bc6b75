import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { formatValue } from '../../output/print-object.ts';
import { connectFleet, landscapeId } from '../fleet-client.ts';
import { fleetGroup, scopeFlags } from '../fleet-flags.ts';
import { connectObjects, findInstance, scopeOf } from '../fleet-objects.ts';
import { type Placement, renderPlacement } from '../render-placement.ts';

/** Explains the placement of an instance. */
export const explainCommand: Command = {
  name: 'fleet explain',
  group: fleetGroup,
  summary: 'Say why an instance is where it is, or nowhere: what every cluster says',
  usage: 'INSTANCE [flags]',
  examples: ['chandlery fleet explain orca', 'chandlery fleet explain orca --org acme -o json'],
  arguments: { required: ['INSTANCE'] },
  values: { INSTANCE: { type: 'list', command: 'fleet instance list' } },
  options: scopeFlags,
  notes: [
    'INSTANCE is an id, or a name; --org and --product distinguish several of one name.',
    'Every cluster of the product is judged as it is now, by the rules that placement goes by.',
  ],
  goal: ([wanted]) => `explain the placement of "${wanted}"`,
  async run(context) {
    const format = formatOf(context.flags);
    await using client = connectObjects(context);
    const instance = await findInstance(client, context.args[0] ?? '', scopeOf(context.flags));
    await using fleet = connectFleet(context);
    const path = ['instances', instance.metadata.name ?? '', 'placement'];
    const placement = await fleet.ask<Placement>(landscapeId, path);
    context.stdout.write(
      format === 'table' ? renderPlacement(instance, placement) : formatValue({ instance, placement }, format),
    );
    return 0;
  },
};
