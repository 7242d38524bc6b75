import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { awaitReady } from '../await-ready.ts';
import { findOne, onlyOne } from '../find-one.ts';
import { commonFlags, deleteFlags, idFlag, modeFlags, timeoutOf } from '../flags.ts';
import { missing } from '../lookup-errors.ts';
import { printDocument, printOne } from '../print.ts';
import { fieldQuery, having, quoted, quotedList } from '../queries.ts';
import { readJson } from '../read-input.ts';
import { remove } from '../remove.ts';
import { sendChange } from '../send-change.ts';
import { connectSm, type SmClient } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import { bindingRight, instanceRight } from '../sm-rights.ts';
import type { SmObject } from '../sm-types.ts';
import { groups } from './groups.ts';
import { forceDeleteFlag, forceDeleteQuery, parametersFlag } from './instance-flags.ts';

const kind = smKinds.bindings;
const mode = 'async';
const group = groups.instances;
const instanceNames = { type: 'service-manager', path: smKinds.instances.path } as const;
const bindingNames = { type: 'service-manager', path: kind.path } as const;

const getBinding: Command = {
  name: 'binding get',
  aliases: ['get-binding', 'gsb'],
  group,
  summary: 'Show a service binding with its credentials',
  usage: 'NAME [flags]',
  examples: ['chandlery binding get app', 'chandlery binding get app -o json'],
  arguments: { required: ['NAME'] },
  values: { NAME: bindingNames },
  formats: resultFormats,
  options: {
    'show-binding-params': { type: 'switch', about: 'Show the parameters that the broker reports.' },
    ...idFlag,
    ...commonFlags,
  },
  rights: [bindingRight('get'), bindingRight('list')],
  goal: ([name]) => `show the service binding "${name}"`,
  async run(context) {
    await using sm = connectSm(context);
    const wanted = { name: context.args[0] ?? '', id: context.flags.text('id') };
    const path = pathOf(kind, (await findOne(sm, kind, wanted)).id);
    if (context.flags.isOn('show-binding-params')) printDocument(context, await sm.get(`${path}/parameters`));
    else await printOne(context, sm, { kind, object: await sm.get(path) });
    return 0;
  },
};

const bind: Command = {
  name: 'binding create',
  aliases: ['bind'],
  group,
  summary: 'Make a binding of a service instance',
  usage: 'INSTANCE BINDING [flags]',
  examples: [
    'chandlery binding create shop app --wait',
    'chandlery binding create shop app --consumer acme/web --wait',
    `chandlery binding create shop app -c '{"role": "reader"}' --mode sync`,
  ],
  arguments: { required: ['INSTANCE', 'BINDING'] },
  values: { INSTANCE: instanceNames },
  formats: resultFormats,
  options: {
    id: { type: 'text', valueName: 'ID', about: 'Which instance is meant when several have the name.' },
    ...parametersFlag('binding-params'),
    consumer: {
      type: 'text',
      valueName: 'NAMESPACE/ACCOUNT',
      about: 'The service account whose proxies may call the instance in the mesh.',
    },
    'consumer-cluster': { type: 'text', valueName: 'NAME', about: 'The cluster of the account. Default: any.' },
    ...modeFlags(mode),
    ...commonFlags,
  },
  rights: [instanceRight('list'), bindingRight('create')],
  goal: ([instance, name]) => `bind the service instance "${instance}" as "${name}"`,
  async run(context) {
    const [instance = '', name] = context.args;
    const consumer = consumerOf(context);
    const given = context.flags.text('binding-params');
    const parameters = given === undefined ? {} : { parameters: await readJson(context, given) };
    await using sm = connectSm(context);
    const found = await findOne(sm, smKinds.instances, { name: instance, id: context.flags.text('id') });
    if (context.flags.isOn('wait')) {
      const read = (id: string) => sm.get(pathOf(smKinds.instances, id));
      await awaitReady(found, read, { timeoutMs: timeoutOf(context.flags), progress: context.stderr });
    }
    const { id } = found;
    const body = { name, service_instance_id: id, ...parameters, ...consumer };
    const what = `creation of the service binding "${name}"`;
    const done = await sendChange(context, sm, { method: 'POST', path: kind.path, body, mode, what });
    if (done?.object !== undefined) await printOne(context, sm, { kind, object: done.object });
    return 0;
  },
};

/** What uses the instance, as OSB has it. */
function consumerOf({ flags }: CommandContext): { bind_resource?: Readonly<Record<string, string>> } {
  const account = flags.text('consumer');
  const cluster = flags.text('consumer-cluster');
  if (account === undefined && cluster !== undefined)
    throw usageError('InvalidOption', '--consumer-cluster needs --consumer, the account on that cluster');
  if (account === undefined) return {};
  if (!/^([^/\s]+\/)?[^/\s]+$/.test(account))
    throw usageError('InvalidOption', `--consumer must be NAMESPACE/ACCOUNT or ACCOUNT, not "${account}"`);
  return { bind_resource: { service_account: account, ...(cluster !== undefined && { cluster }) } };
}

const unbind: Command = {
  name: 'binding delete',
  aliases: ['unbind'],
  group,
  summary: 'Delete a binding of a service instance',
  usage: 'INSTANCE BINDING [flags]',
  examples: ['chandlery binding delete shop app --wait', 'chandlery binding delete shop app --force-delete -y'],
  arguments: { required: ['INSTANCE', 'BINDING'] },
  values: { INSTANCE: instanceNames, BINDING: bindingNames },
  options: {
    id: { type: 'text', valueName: 'ID', about: 'Which binding is meant when several have the name.' },
    ...forceDeleteFlag,
    ...deleteFlags,
    ...modeFlags(mode),
    ...commonFlags,
  },
  rights: [instanceRight('list'), bindingRight('list'), bindingRight('delete')],
  goal: ([instance, name]) => `delete the binding "${name}" of the service instance "${instance}"`,
  async run(context) {
    await using sm = connectSm(context);
    return await remove(context, sm, {
      kind,
      name: context.args[1] ?? '',
      find: () => findBinding(context, sm),
      mode,
      ...forceDeleteQuery(context.flags),
    });
  },
};

/** Several instances of one name are no matter as long as only one of them has such a binding. */
async function findBinding({ args, flags }: CommandContext, sm: SmClient): Promise<SmObject> {
  const [instance = '', name = ''] = args;
  const id = flags.text('id');
  if (id !== undefined) return findOne(sm, kind, { name, id });
  const instances = await having(sm, smKinds.instances, { field: 'name', value: instance });
  if (instances.length === 0) throw missing(smKinds.instances, instance);
  const ids = instances.map(object => object.id);
  const query = fieldQuery([`name eq ${quoted(name)}`, `service_instance_id in ${quotedList(ids)}`]);
  return onlyOne(sm, kind, { name, found: await sm.all(kind.path, { query }) });
}

/** Commands for service bindings. */
export const bindingCommands: readonly Command[] = [getBinding, bind, unbind];
