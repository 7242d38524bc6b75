import type { Command, CommandContext } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { findOne } from '../find-one.ts';
import { commonFlags, deleteFlags, idFlag, waitFlags } from '../flags.ts';
import { printOne } from '../print.ts';
import { having } from '../queries.ts';
import { readJson } from '../read-input.ts';
import { remove } from '../remove.ts';
import { connectSm, type SmClient } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import type { SmObject } from '../sm-types.ts';
import { groups } from './groups.ts';

const kind = smKinds.platforms;
const group = groups.brokers;
const values = { NAME: { type: 'service-manager', path: kind.path } } as const;

const registerPlatform: Command = {
  name: 'platform register',
  aliases: ['register-platform', 'rp'],
  group,
  summary: 'Register a platform and show its new credentials',
  usage: 'NAME TYPE [DESCRIPTION] [flags]',
  examples: [
    'chandlery platform register eu-1 kubernetes',
    'chandlery platform register cf cloudfoundry "Our CF" -i cf-1',
  ],
  arguments: { required: ['NAME', 'TYPE'], optional: ['DESCRIPTION'] },
  formats: resultFormats,
  options: {
    id: { type: 'text', short: 'i', valueName: 'ID', about: 'The id of the platform. Default: a new one.' },
    ...commonFlags,
  },
  notes: ['The credentials are shown this once; the broker proxy of the platform needs them.'],
  goal: ([name]) => `register the platform "${name}"`,
  async run(context) {
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
    await printWithCredentials(context, sm, platform.body as SmObject);
    return 0;
  },
};

const getPlatform: Command = {
  name: 'platform get',
  group,
  summary: 'Show a platform',
  usage: 'NAME [flags]',
  examples: ['chandlery platform get eu-1', 'chandlery platform get eu-1 -o json'],
  arguments: { required: ['NAME'] },
  values,
  formats: resultFormats,
  options: { ...idFlag, ...commonFlags },
  goal: ([name]) => `show the platform "${name}"`,
  async run(context) {
    await using sm = connectSm(context);
    await printOne(context, sm, { kind, object: await find(context, sm) });
    return 0;
  },
};

const updatePlatform: Command = {
  name: 'platform update',
  aliases: ['update-platform'],
  group,
  summary: 'Change a platform, or give it new credentials',
  usage: 'NAME [JSON] [flags]',
  examples: [
    `chandlery platform update eu-1 '{"description": "Europe"}'`,
    'chandlery platform update eu-1 --regenerate-credentials',
  ],
  arguments: { required: ['NAME'], optional: ['JSON'] },
  values,
  formats: resultFormats,
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
    const body = await readJson(context, context.args[1] ?? '{}');
    await using sm = connectSm(context);
    const { id } = await find(context, sm);
    const isNew = context.flags.isOn('regenerate-credentials');
    const query = isNew ? ([['regenerateCredentials', 'true']] as const) : [];
    const platform = await sm.send(pathOf(kind, id), { method: 'PATCH', body, query });
    await printWithCredentials(context, sm, platform.body as SmObject);
    return 0;
  },
};

/** The hint goes where it disturbs no program that reads the rest. */
async function printWithCredentials(context: CommandContext, sm: SmClient, platform: SmObject): Promise<void> {
  await printOne(context, sm, { kind, object: platform });
  if (platform.credentials !== undefined)
    context.stderr.write(
      'Keep the credentials: they are not shown again. "npx chandlery platform update NAME -c" makes new ones.\n',
    );
}

const deletePlatform: Command = {
  name: 'platform delete',
  aliases: ['delete-platform', 'dp'],
  group,
  summary: 'Delete a platform, with --cascade also everything on it',
  usage: 'NAME [flags]',
  examples: ['chandlery platform delete eu-1', 'chandlery platform delete eu-1 --cascade --wait'],
  arguments: { required: ['NAME'] },
  values,
  options: {
    cascade: { type: 'switch', about: 'Delete its instances and bindings first.' },
    ...deleteFlags,
    ...idFlag,
    ...waitFlags,
    ...commonFlags,
  },
  goal: ([name]) => `delete the platform "${name}"`,
  async run(context) {
    const isCascade = context.flags.isOn('cascade');
    await using sm = connectSm(context);
    return await remove(context, sm, {
      kind,
      name: context.args[0] ?? '',
      find: () => find(context, sm),
      ...(isCascade ? { goesWith: ({ id }) => instancesOn(sm, id) } : {}),
      ...(isCascade ? { query: [['cascade', 'true']] } : {}),
    });
  },
};

/** What a cascade deletes. */
async function instancesOn(sm: SmClient, id: string): Promise<readonly string[]> {
  const instances = await having(sm, smKinds.instances, { field: 'platform_id', value: id });
  return instances.map(({ name = '' }) => `the service instance "${name}" with its bindings`);
}

const find = ({ args, flags }: CommandContext, sm: SmClient): Promise<SmObject> =>
  findOne(sm, kind, { name: args[0] ?? '', id: flags.text('id') });

/** Commands for platforms. smctl's alias `up` is the landscape's own command here. */
export const platformCommands: readonly Command[] = [getPlatform, registerPlatform, updatePlatform, deletePlatform];
