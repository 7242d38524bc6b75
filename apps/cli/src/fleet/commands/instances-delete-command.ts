import type { Client } from '@chandlery/client';
import type { FleetInstance } from '@chandlery/fleet/kinds';
import { secondsOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import { askWhether } from '../../output/confirm.ts';
import { connectFleet } from '../fleet-client.ts';
import { fleetGroup, scopeFlags, waitFlags } from '../fleet-flags.ts';
import { connectObjects, displayName, findInstance, scopeOf } from '../fleet-objects.ts';
import { untilGone } from '../follow-instance.ts';
import { nameOf } from '../print-objects.ts';

const defaultTimeoutSeconds = 300;

/** Deletes an instance of any organisation. */
export const instancesDeleteCommand: Command = {
  name: 'fleet instances delete',
  group: fleetGroup,
  summary: 'Delete an instance with its data, of any owner',
  usage: 'INSTANCE [flags]',
  examples: ['chandlery fleet instances delete orca --wait', 'chandlery fleet instances delete orca --org acme -y'],
  arguments: { required: ['INSTANCE'] },
  options: {
    ...scopeFlags,
    yes: { type: 'switch', short: 'y', about: 'Do not ask. Default: ask on a terminal.' },
    ...waitFlags('it is deleted, showing the progress', defaultTimeoutSeconds),
  },
  notes: [
    'INSTANCE is an id, or a name; --org and --product distinguish several of one name.',
    'A record of it remains for a while: "chandlery fleet instances list --deleted".',
  ],
  goal: ([wanted]) => `delete the instance "${wanted}"`,
  async run(context) {
    const { flags, args, stdout } = context;
    const timeoutMs = secondsOf(flags, 'timeout', defaultTimeoutSeconds);
    await using client = connectObjects(context);
    const instance = await findInstance(client, args[0] ?? '', scopeOf(flags));
    await confirm(context, instance);
    await remove(context, instance);
    const isWaiting = flags.isOn('wait');
    if (isWaiting) await waitForEnd(client, instance, context, timeoutMs);
    stdout.write(`${nameOf(instance)} ${isWaiting ? 'deleted' : 'is being deleted'}\n`);
    return 0;
  },
};

/** Prompts on a terminal only: a script has named what it deletes and cannot answer. */
async function confirm(context: CommandContext, instance: FleetInstance): Promise<void> {
  if (context.isInteractive !== true || context.flags.isOn('yes')) return;
  const { product, organisation } = instance.spec;
  const what = `the instance "${displayName(instance)}" (product ${product}, organisation ${organisation})`;
  await askWhether(context, `Delete ${what} with its data?`, '--yes (-y)');
}

async function remove(context: CommandContext, { metadata, spec }: FleetInstance): Promise<void> {
  await using fleet = connectFleet(context);
  const path = ['admin', spec.product, metadata.name ?? ''];
  await fleet.ask(spec.product, path, { method: 'DELETE', query: { async: 'true' } });
}

const waitForEnd = (client: Client, instance: FleetInstance, { stderr }: CommandContext, timeoutMs: number) =>
  untilGone(client, instance, { timeoutMs, progress: stderr });
