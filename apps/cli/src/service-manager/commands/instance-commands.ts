import { ChandleryError, isError, isRecord } from '@chandlery/api';
import { didYouMean } from '@chandlery/platform';
import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { findOne } from '../find-one.ts';
import { planIdOf, siblingPlan } from '../find-plan.ts';
import { commonFlags, deleteFlags, idFlag, modeFlags } from '../flags.ts';
import { parametersOfPlan } from '../parameter-schema.ts';
import { printDocument, printOne } from '../print.ts';
import { having } from '../queries.ts';
import { readJson } from '../read-input.ts';
import { remove } from '../remove.ts';
import { sendChange } from '../send-change.ts';
import { connectSm, type SmClient } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import { instanceRight } from '../sm-rights.ts';
import type { SmObject } from '../sm-types.ts';
import { groups } from './groups.ts';
import { forceDeleteFlag, forceDeleteQuery, parametersFlag } from './instance-flags.ts';

const kind = smKinds.instances;
const mode = 'async';
const group = groups.instances;
const values = { NAME: { type: 'service-manager', path: kind.path } } as const;

const getInstance: Command = {
  name: 'instance get',
  aliases: ['get-instance', 'gi'],
  group,
  summary: 'Show a service instance',
  usage: 'NAME [flags]',
  examples: ['chandlery instance get shop', 'chandlery instance get shop --show-instance-params'],
  arguments: { required: ['NAME'] },
  values,
  formats: resultFormats,
  options: {
    'show-instance-params': { type: 'switch', about: 'Show the parameters that the broker reports.' },
    ...idFlag,
    ...commonFlags,
  },
  rights: [instanceRight('get'), instanceRight('list')],
  goal: ([name]) => `show the service instance "${name}"`,
  async run(context) {
    await using sm = connectSm(context);
    const path = pathOf(kind, (await find(context, sm)).id);
    if (context.flags.isOn('show-instance-params')) printDocument(context, await sm.get(`${path}/parameters`));
    else await printOne(context, sm, { kind, object: await sm.get(path) });
    return 0;
  },
};

const provision: Command = {
  name: 'instance create',
  aliases: ['provision'],
  group,
  summary: 'Order a service instance',
  usage: 'NAME OFFERING PLAN [flags]',
  examples: [
    'chandlery instance create shop database small --wait',
    `chandlery instance create shop database small -b pg -c '{"size": 3}'`,
  ],
  arguments: { required: ['NAME', 'OFFERING', 'PLAN'] },
  formats: resultFormats,
  options: {
    'broker-name': {
      type: 'text',
      short: 'b',
      valueName: 'BROKER',
      about: 'The broker, when several have the offering.',
    },
    ...parametersFlag('instance-params'),
    ...modeFlags(mode),
    ...commonFlags,
  },
  rights: [instanceRight('create'), instanceRight('list')],
  goal: ([name]) => `provision the service instance "${name}"`,
  async run(context) {
    const body = await newInstance(context);
    await using sm = connectSm(context);
    await warnOfUnknown(context, sm, body.parameters);
    const what = `creation of the service instance "${context.args[0]}"`;
    const done = await sendChange(context, sm, { method: 'POST', path: kind.path, body, mode, what }).catch(thrown =>
      explainPlan(context, sm, thrown),
    );
    if (done?.object !== undefined) await printOne(context, sm, { kind, object: done.object });
    return 0;
  },
};

interface NewInstance {
  readonly name: string | undefined;
  readonly service_offering_name: string | undefined;
  readonly service_plan_name: string | undefined;
  readonly broker_name?: string;
  readonly parameters?: unknown;
}

async function newInstance(context: CommandContext): Promise<NewInstance> {
  const [name, offering, plan] = context.args;
  const broker = context.flags.text('broker-name');
  const parameters = context.flags.text('instance-params');
  return {
    name,
    service_offering_name: offering,
    service_plan_name: plan,
    ...(broker === undefined ? {} : { broker_name: broker }),
    ...(parameters === undefined ? {} : { parameters: await readJson(context, parameters) }),
  };
}

/** Brokers may accept parameters that their schemas do not have, so that a misspelt one is only said. */
async function warnOfUnknown({ args, flags, stderr }: CommandContext, sm: SmClient, given: unknown): Promise<void> {
  if (!isRecord(given)) return;
  const [, offering = '', name = ''] = args;
  const known = await planIdOf(sm, `${offering}/${name}`, flags.text('broker-name'))
    .then(async id => parametersOfPlan(await sm.get(pathOf(smKinds.plans, id))))
    // What is wrong with the plan is said when the instance is ordered.
    .catch(() => undefined);
  const names = known?.map(parameter => parameter.name) ?? [];
  for (const unknown of Object.keys(given).filter(key => known !== undefined && !names.includes(key)))
    stderr.write(`warning: the plan has no parameter "${unknown}"${didYouMean(unknown, names)}\n`);
}

/** The service manager chooses the plan, since it knows which may be used; its words become those of this command. */
async function explainPlan({ args }: CommandContext, sm: SmClient, thrown: unknown): Promise<never> {
  const [, offering = '', plan = ''] = args;
  // A misspelt name is found here, with what was meant.
  if (isError(thrown, 'NotFound')) await planIdOf(sm, `${offering}/${plan}`);
  if (isError(thrown, 'NotFound', 'ServicePlanNotFound'))
    throw new ChandleryError(thrown.code, thrown.message, {
      hint: 'See what there is with "npx chandlery marketplace"; a plan must be visible to you.',
    });
  if (isError(thrown, 'BadRequest') && thrown.message.includes('broker_name'))
    throw new ChandleryError('Ambiguous', thrown.message.replace(/; give .*$/, ''), {
      hint: 'Say which one with -b BROKER.',
    });
  throw thrown;
}

const updateInstance: Command = {
  name: 'instance update',
  aliases: ['update-instance'],
  group,
  summary: 'Change the name, plan or parameters of a service instance',
  usage: 'NAME [flags]',
  examples: ['chandlery instance update shop --plan large --wait', 'chandlery instance update shop --new-name store'],
  arguments: { required: ['NAME'] },
  values,
  formats: resultFormats,
  options: {
    'new-name': { type: 'text', valueName: 'NAME', about: 'Its name from now on.' },
    plan: { type: 'text', valueName: 'PLAN', about: 'The name of another plan of its offering.' },
    ...parametersFlag('instance-params'),
    ...idFlag,
    ...modeFlags(mode),
    ...commonFlags,
  },
  rights: [instanceRight('list'), instanceRight('update')],
  goal: ([name]) => `change the service instance "${name}"`,
  async run(context) {
    const wanted = await changeOf(context);
    await using sm = connectSm(context);
    const instance = await find(context, sm);
    const plan = context.flags.text('plan');
    const planId = plan === undefined ? undefined : (await siblingPlan(sm, instance.service_plan_id, plan)).id;
    const body = { ...wanted, ...(planId === undefined ? {} : { service_plan_id: planId }) };
    const what = `change of the service instance "${instance.name}"`;
    const done = await sendChange(context, sm, { method: 'PATCH', path: pathOf(kind, instance.id), body, mode, what });
    if (done?.object !== undefined) await printOne(context, sm, { kind, object: done.object });
    return 0;
  },
};

async function changeOf(context: CommandContext): Promise<object> {
  const { flags } = context;
  const [name, plan, parameters] = ['new-name', 'plan', 'instance-params'].map(flag => flags.text(flag));
  if (name === undefined && plan === undefined && parameters === undefined)
    throw usageError('MissingArgument', 'say what to change: --new-name, --plan or --instance-params');
  return {
    ...(name === undefined ? {} : { name }),
    ...(parameters === undefined ? {} : { parameters: await readJson(context, parameters) }),
  };
}

const deprovision: Command = {
  name: 'instance delete',
  aliases: ['deprovision'],
  group,
  summary: 'Delete a service instance',
  usage: 'NAME [flags]',
  examples: ['chandlery instance delete shop --wait', 'chandlery instance delete shop --force-delete -y'],
  arguments: { required: ['NAME'] },
  values,
  options: { ...forceDeleteFlag, ...deleteFlags, ...idFlag, ...modeFlags(mode), ...commonFlags },
  notes: ['--force-delete also deletes its bindings, and whatever its broker says about it.'],
  rights: [instanceRight('list'), instanceRight('delete')],
  goal: ([name]) => `delete the service instance "${name}"`,
  async run(context) {
    await using sm = connectSm(context);
    return await remove(context, sm, {
      kind,
      name: context.args[0] ?? '',
      find: () => find(context, sm),
      mode,
      goesWith: ({ id }) => bindingsOf(sm, id),
      ...forceDeleteQuery(context.flags),
    });
  },
};

/** What a forced deletion deletes as well. */
async function bindingsOf(sm: SmClient, id: string): Promise<readonly string[]> {
  const bindings = await having(sm, smKinds.bindings, { field: 'service_instance_id', value: id });
  return ['its data', ...bindings.map(({ name = '' }) => `the binding "${name}" with its credentials`)];
}

const find = ({ args, flags }: CommandContext, sm: SmClient): Promise<SmObject> =>
  findOne(sm, kind, { name: args[0] ?? '', id: flags.text('id') });

/** Commands for service instances. */
export const instanceCommands: readonly Command[] = [getInstance, provision, updateInstance, deprovision];
