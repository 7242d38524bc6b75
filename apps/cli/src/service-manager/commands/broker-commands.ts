import { ChandleryError, isError } from '@chandlery/api';
import type { Command, CommandContext } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { basicFlag, brokerCredentials } from '../broker-credentials.ts';
import { findOne } from '../find-one.ts';
import { commonFlags, deleteFlags, idFlag, modeFlags } from '../flags.ts';
import { printOne } from '../print.ts';
import { having } from '../queries.ts';
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
const values = { NAME: { type: 'service-manager', path: kind.path } } as const;
/** What other domains of the landscape offer is registered by this address. */
const internal = 'internal:';

const registerBroker: Command = {
  name: 'broker register',
  aliases: ['register-broker', 'rb'],
  group,
  summary: 'Register a service broker and read its catalog',
  usage: 'NAME URL [DESCRIPTION] [flags]',
  examples: [
    'chandlery broker register pg https://pg.example.com "Databases" -b user:password',
    'chandlery broker register pg https://pg.example.com -b - --wait < user-and-password',
    'chandlery broker register providers internal:providers',
  ],
  arguments: { required: ['NAME', 'URL'], optional: ['DESCRIPTION'] },
  formats: resultFormats,
  options: { ...basicFlag, ...modeFlags(mode), ...commonFlags },
  notes: ['The URL internal:providers registers what the service providers of this landscape offer.'],
  goal: ([name]) => `register the service broker "${name}"`,
  async run(context) {
    const body = await newBroker(context);
    await using sm = connectSm(context);
    const what = `registration of the service broker "${context.args[0]}"`;
    const done = await sendChange(context, sm, { method: 'POST', path: kind.path, body, mode, what }).catch(explain);
    if (done?.object !== undefined) await printOne(context, sm, { kind, object: done.object });
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
  name: 'broker get',
  aliases: ['get-broker', 'gb'],
  group,
  summary: 'Show a service broker',
  usage: 'NAME [flags]',
  examples: ['chandlery broker get pg', 'chandlery broker get pg -o json'],
  arguments: { required: ['NAME'] },
  values,
  formats: resultFormats,
  options: { ...idFlag, ...commonFlags },
  goal: ([name]) => `show the service broker "${name}"`,
  async run(context) {
    await using sm = connectSm(context);
    const { id } = await find(context, sm);
    await printOne(context, sm, { kind, object: await sm.get(pathOf(kind, id)) });
    return 0;
  },
};

const updateBroker: Command = {
  name: 'broker update',
  aliases: ['update-broker', 'ub'],
  group,
  summary: 'Change a service broker and read its catalog again',
  usage: 'NAME [JSON] [flags]',
  examples: [
    `chandlery broker update pg '{"description": "Databases"}'`,
    'chandlery broker update pg @change.json',
    'chandlery broker update pg -b user:new-password',
    'chandlery broker update pg',
  ],
  arguments: { required: ['NAME'], optional: ['JSON'] },
  values,
  formats: resultFormats,
  options: { ...basicFlag, ...idFlag, ...modeFlags(mode), ...commonFlags },
  notes: ['Without JSON only the catalog is read again. JSON may be @file, or - for the standard input.'],
  goal: ([name]) => `change the service broker "${name}"`,
  async run(context) {
    const [name, json = '{}'] = context.args;
    const credentials = await brokerCredentials(context);
    const body = { ...(await readJson(context, json)), ...(credentials === undefined ? {} : { credentials }) };
    await using sm = connectSm(context);
    const { id } = await find(context, sm);
    const what = `change of the service broker "${name}"`;
    const done = await sendChange(context, sm, { method: 'PATCH', path: pathOf(kind, id), body, mode, what }).catch(
      explain,
    );
    if (done?.object !== undefined) await printOne(context, sm, { kind, object: done.object });
    return 0;
  },
};

const deleteBroker: Command = {
  name: 'broker delete',
  aliases: ['delete-broker', 'db'],
  group,
  summary: 'Delete a service broker with its catalog and visibilities',
  usage: 'NAME [flags]',
  examples: ['chandlery broker delete pg', 'chandlery broker delete pg -y --ignore-missing'],
  arguments: { required: ['NAME'] },
  values,
  options: { ...deleteFlags, ...idFlag, ...modeFlags(mode), ...commonFlags },
  goal: ([name]) => `delete the service broker "${name}"`,
  async run(context) {
    await using sm = connectSm(context);
    return await remove(context, sm, {
      kind,
      name: context.args[0] ?? '',
      find: () => find(context, sm),
      mode,
      goesWith: ({ id }) => catalogOf(sm, id),
    });
  },
};

/** What the deletion of a broker takes away. */
async function catalogOf(sm: SmClient, id: string): Promise<readonly string[]> {
  const offerings = await having(sm, smKinds.offerings, { field: 'broker_id', value: id });
  return offerings.map(({ name = '' }) => `the offering "${name}" with its plans and visibilities`);
}

const find = ({ args, flags }: CommandContext, sm: SmClient): Promise<SmObject> =>
  findOne(sm, kind, { name: args[0] ?? '', id: flags.text('id') });

/** Commands for service brokers. */
export const brokerCommands: readonly Command[] = [getBroker, registerBroker, updateBroker, deleteBroker];
