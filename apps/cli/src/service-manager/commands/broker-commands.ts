import { ChandleryError, isError } from '@chandlery/api';
import type { Command, CommandContext } from '../../command.ts';
import { basicFlag, brokerCredentials } from '../broker-credentials.ts';
import { findOne } from '../find-one.ts';
import { commonFlags, deleteFlags, idFlag, modeFlags, printingOf } from '../flags.ts';
import { printOne } from '../print.ts';
import { readJson } from '../read-input.ts';
import { remove } from '../remove.ts';
import { sendChange } from '../send-change.ts';
import { connectSm, type SmClient } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import type { SmObject } from '../sm-types.ts';
import { groups } from './groups.ts';

const kind = smKinds.brokers;
const mode = 'sync';
const group = groups.brokers;
/** What other domains of the landscape offer is registered by this address. */
const internal = 'internal:';

const registerBroker: Command = {
  name: 'register-broker',
  aliases: ['rb'],
  group,
  summary: 'Register a service broker and read its catalog',
  usage: 'NAME URL [DESCRIPTION] [flags]',
  examples: [
    'chandlery register-broker pg https://pg.example.com "Databases" -b user:password',
    'chandlery register-broker pg https://pg.example.com -b - --wait < user-and-password',
    'chandlery register-broker providers internal:providers',
  ],
  arguments: { required: ['NAME', 'URL'], optional: ['DESCRIPTION'] },
  options: { ...basicFlag, ...modeFlags(mode), ...commonFlags },
  notes: ['The URL internal:providers registers what the service providers of this landscape offer.'],
  goal: ([name]) => `register the service broker "${name}"`,
  async run(context) {
    printingOf(context.flags);
    const body = await newBroker(context);
    await using sm = connectSm(context);
    const what = `registration of the service broker "${context.args[0]}"`;
    const done = await sendChange(context, sm, { method: 'POST', path: kind.path, body, mode, what }).catch(explain);
    if (done?.object !== undefined) printOne(context, kind, done.object);
    return 0;
  },
};

async function newBroker(context: CommandContext): Promise<object> {
  const [name, url = '', description] = context.args;
  const credentials = await brokerCredentials(context);
  return {
    name,
    ...(url.startsWith(internal) ? { internal: url.slice(internal.length) } : { broker_url: url }),
    ...(description === undefined ? {} : { description }),
    ...(credentials === undefined ? {} : { credentials }),
  };
}

/** Adds a hint to the error of a broker that rejected the credentials. */
function explain(thrown: unknown): never {
  if (isError(thrown, 'BadRequest') && thrown.hint === undefined && /credentials|answered 40[13]/.test(thrown.message))
    throw new ChandleryError(thrown.code, thrown.message, {
      hint: 'Say with -b USER:PASSWORD as whom the broker knows the service manager.',
    });
  throw thrown;
}

const getBroker: Command = {
  name: 'get-broker',
  aliases: ['gb'],
  group,
  summary: 'Show a service broker',
  usage: 'NAME [flags]',
  examples: ['chandlery get-broker pg', 'chandlery get-broker pg -o json'],
  arguments: { required: ['NAME'] },
  options: { ...idFlag, ...commonFlags },
  goal: ([name]) => `show the service broker "${name}"`,
  async run(context) {
    printingOf(context.flags);
    await using sm = connectSm(context);
    const { id } = await find(context, sm);
    printOne(context, kind, await sm.get(pathOf(kind, id)));
    return 0;
  },
};

const updateBroker: Command = {
  name: 'update-broker',
  aliases: ['ub'],
  group,
  summary: 'Change a service broker and read its catalog again',
  usage: 'NAME [JSON] [flags]',
  examples: [
    `chandlery update-broker pg '{"description": "Databases"}'`,
    'chandlery update-broker pg @change.json',
    'chandlery update-broker pg -b user:new-password',
    'chandlery update-broker pg',
  ],
  arguments: { required: ['NAME'], optional: ['JSON'] },
  options: { ...basicFlag, ...idFlag, ...modeFlags(mode), ...commonFlags },
  notes: ['Without JSON only the catalog is read again. JSON may be @file, or - for the standard input.'],
  goal: ([name]) => `change the service broker "${name}"`,
  async run(context) {
    printingOf(context.flags);
    const [name, json = '{}'] = context.args;
    const credentials = await brokerCredentials(context);
    const body = { ...(await readJson(context, json)), ...(credentials === undefined ? {} : { credentials }) };
    await using sm = connectSm(context);
    const { id } = await find(context, sm);
    const what = `change of the service broker "${name}"`;
    const done = await sendChange(context, sm, { method: 'PATCH', path: pathOf(kind, id), body, mode, what }).catch(
      explain,
    );
    if (done?.object !== undefined) printOne(context, kind, done.object);
    return 0;
  },
};

const deleteBroker: Command = {
  name: 'delete-broker',
  aliases: ['db'],
  group,
  summary: 'Delete a service broker with its catalog and visibilities',
  usage: 'NAME [flags]',
  examples: ['chandlery delete-broker pg', 'chandlery delete-broker pg -f --ignore-missing'],
  arguments: { required: ['NAME'] },
  options: { ...deleteFlags, ...idFlag, ...modeFlags(mode), ...commonFlags },
  goal: ([name]) => `delete the service broker "${name}"`,
  async run(context) {
    printingOf(context.flags);
    await using sm = connectSm(context);
    const consequence = ' with its catalog and visibilities';
    return await remove(context, sm, {
      kind,
      name: context.args[0] ?? '',
      find: () => find(context, sm),
      mode,
      consequence,
    });
  },
};

const find = ({ args, flags }: CommandContext, sm: SmClient): Promise<SmObject> =>
  findOne(sm, kind, { name: args[0] ?? '', id: flags.text('id') });

/** Commands for service brokers. */
export const brokerCommands: readonly Command[] = [registerBroker, getBroker, updateBroker, deleteBroker];
