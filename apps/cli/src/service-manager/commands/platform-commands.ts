import type { Command, CommandContext } from '../../command.ts';
import { findOne } from '../find-one.ts';
import { commonFlags, deleteFlags, idFlag, printingOf, waitFlags } from '../flags.ts';
import { printOne } from '../print.ts';
import { readJson } from '../read-input.ts';
import { remove } from '../remove.ts';
import { connectSm, type SmClient } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import type { SmObject } from '../sm-types.ts';
import { groups } from './groups.ts';

const kind = smKinds.platforms;
const group = groups.brokers;

const registerPlatform: Command = {
  name: 'register-platform',
  aliases: ['rp'],
  group,
  summary: 'Register a platform and show its new credentials',
  usage: 'NAME TYPE [DESCRIPTION] [flags]',
  examples: [
    'chandlery register-platform eu-1 kubernetes',
    'chandlery register-platform cf cloudfoundry "Our CF" -i cf-1',
  ],
  arguments: { required: ['NAME', 'TYPE'], optional: ['DESCRIPTION'] },
  options: {
    id: { type: 'text', short: 'i', valueName: 'ID', about: 'The id of the platform. Default: a new one.' },
    ...commonFlags,
  },
  notes: ['The credentials are shown this once; the broker proxy of the platform needs them.'],
  goal: ([name]) => `register the platform "${name}"`,
  async run(context) {
    printingOf(context.flags);
    const [name, type, description] = context.args;
    const id = context.flags.text('id');
    await using sm = connectSm(context);
    const body = {
      name,
      type,
      ...(description === undefined ? {} : { description }),
      ...(id === undefined ? {} : { id }),
    };
    const platform = await sm.send(kind.path, { method: 'POST', body });
    printWithCredentials(context, platform.body as SmObject);
    return 0;
  },
};

const updatePlatform: Command = {
  name: 'update-platform',
  group,
  summary: 'Change a platform, or give it new credentials',
  usage: 'NAME [JSON] [flags]',
  examples: [
    `chandlery update-platform eu-1 '{"description": "Europe"}'`,
    'chandlery update-platform eu-1 --regenerate-credentials',
  ],
  arguments: { required: ['NAME'], optional: ['JSON'] },
  options: {
    'regenerate-credentials': {
      type: 'switch',
      short: 'c',
      about: 'Make new credentials; those in use hold until the new ones are used.',
    },
    ...idFlag,
    ...commonFlags,
  },
  notes: ['JSON may be @file, or - for the standard input.'],
  goal: ([name]) => `change the platform "${name}"`,
  async run(context) {
    printingOf(context.flags);
    const body = await readJson(context, context.args[1] ?? '{}');
    await using sm = connectSm(context);
    const { id } = await find(context, sm);
    const isNew = context.flags.isOn('regenerate-credentials');
    const query = isNew ? ([['regenerateCredentials', 'true']] as const) : [];
    const platform = await sm.send(pathOf(kind, id), { method: 'PATCH', body, query });
    printWithCredentials(context, platform.body as SmObject);
    return 0;
  },
};

/** The hint goes where it disturbs no program that reads the rest. */
function printWithCredentials(context: CommandContext, platform: SmObject): void {
  printOne(context, kind, platform);
  if (platform.credentials !== undefined)
    context.stderr.write('Keep the credentials: they are not shown again. "update-platform NAME -c" makes new ones.\n');
}

const deletePlatform: Command = {
  name: 'delete-platform',
  aliases: ['dp'],
  group,
  summary: 'Delete a platform, with --cascade also everything on it',
  usage: 'NAME [flags]',
  examples: ['chandlery delete-platform eu-1', 'chandlery delete-platform eu-1 --cascade --wait'],
  arguments: { required: ['NAME'] },
  options: {
    cascade: { type: 'switch', about: 'Delete its instances and bindings first.' },
    ...deleteFlags,
    ...idFlag,
    ...waitFlags,
    ...commonFlags,
  },
  goal: ([name]) => `delete the platform "${name}"`,
  async run(context) {
    printingOf(context.flags);
    const isCascade = context.flags.isOn('cascade');
    await using sm = connectSm(context);
    return await remove(context, sm, {
      kind,
      name: context.args[0] ?? '',
      find: () => find(context, sm),
      consequence: isCascade ? ' with all its instances and bindings' : '',
      ...(isCascade ? { query: [['cascade', 'true']] } : {}),
    });
  },
};

const find = ({ args, flags }: CommandContext, sm: SmClient): Promise<SmObject> =>
  findOne(sm, kind, { name: args[0] ?? '', id: flags.text('id') });

/** Commands for platforms. smctl's alias `up` is the landscape's own command here. */
export const platformCommands: readonly Command[] = [registerPlatform, updatePlatform, deletePlatform];
