import type { Client } from '@chandlery/client';
import type { FleetInstance } from '@chandlery/fleet/kinds';
import { secondsOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import { confirmDeletion, yesFlag } from '../../output/confirm.ts';
import { nameOf } from '../../output/print-results.ts';
import { connectFleet } from '../fleet-client.ts';
import { fleetGroup, scopeFlags, waitFlags } from '../fleet-flags.ts';
import { connectObjects, displayName, findInstance, scopeOf } from '../fleet-objects.ts';
import { untilGone } from '../follow-instance.ts';

const defaultTimeoutSeconds = 300;

/** Deletes an instance of any organisation. */
export const instancesDeleteCommand: Command = {
  name: 'fleet instance delete',
  group: fleetGroup,
  summary: 'Delete an instance with its data, of any owner',
  usage: 'INSTANCE [flags]',
  examples: ['chandlery fleet instance delete orca', 'chandlery fleet instance delete orca --org acme --yes --wait'],
  arguments: { required: ['INSTANCE'] },
  formats: [],
  options: {
    ...scopeFlags,
    ...yesFlag,
    ...waitFlags('it is deleted, showing the progress', defaultTimeoutSeconds),
  },
  notes: [
    'INSTANCE is an id, or a name; --org and --product distinguish several of one name.',
    'A record of it remains for a while: "chandlery fleet instance list --deleted".',
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

async function confirm(context: CommandContext, instance: FleetInstance): Promise<void> {
  const { product, organisation } = instance.spec;
  const expected = displayName(instance);
  const what = `the instance "${expected}" (product ${product}, organisation ${organisation})`;
  await confirmDeletion(context, { what, expected, goesWith: async () => ['its data'] });
}

async function remove(context: CommandContext, { metadata, spec }: FleetInstance): Promise<void> {
  await using fleet = connectFleet(context);
  const path = ['admin', spec.product, metadata.name ?? ''];
  await fleet.ask(spec.product, path, { method: 'DELETE', query: { async: 'true' } });
}

const waitForEnd = (client: Client, instance: FleetInstance, { stderr }: CommandContext, timeoutMs: number) =>
  untilGone(client, instance, { timeoutMs, progress: stderr });
