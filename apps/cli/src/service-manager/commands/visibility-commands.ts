import type { Command, CommandContext } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { planIdOf } from '../find-plan.ts';
import { platformIdOf } from '../find-platform.ts';
import { commonFlags, deleteFlags, pairsOf } from '../flags.ts';
import { ambiguous, missing } from '../lookup-errors.ts';
import { printOne } from '../print.ts';
import { having } from '../queries.ts';
import { readJson } from '../read-input.ts';
import { remove } from '../remove.ts';
import { connectSm, type SmClient } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import type { SmObject } from '../sm-types.ts';
import { groups } from './groups.ts';

const kind = smKinds.visibilities;
const group = groups.catalog;
/** Stands for every platform. */
const everyPlatform = '*';
const brokerFlag = {
  broker: { type: 'text', short: 'b', valueName: 'BROKER', about: 'The broker, when several have the offering.' },
} as const;
const namesNote = "Named by its id, or by platform (its name, or '*') and plan (OFFERING/PLAN).";

const createVisibility: Command = {
  name: 'visibility create',
  aliases: ['register-visibility', 'rv'],
  group,
  summary: 'Open a plan to a platform, or to all',
  usage: 'PLATFORM PLAN [flags]',
  examples: [
    'chandlery visibility create eu-1 database/small',
    `chandlery visibility create '*' 0b1f9c1e-plan-id`,
    'chandlery visibility create cf database/small --label organization_guid=o1 --label organization_guid=o2',
  ],
  arguments: { required: ['PLATFORM', 'PLAN'] },
  formats: resultFormats,
  options: {
    ...brokerFlag,
    label: { type: 'text', valueName: 'KEY=VALUE', about: 'A label that narrows it.', isMultiple: true },
    ...commonFlags,
  },
  notes: ["The platform is its id or name, or '*' for all; the plan is its id, or OFFERING/PLAN."],
  goal: ([platform, plan]) => `open the plan ${plan} to the platform ${platform}`,
  async run(context) {
    const [platform = '', plan = ''] = context.args;
    const labels = labelsOf(pairsOf(context.flags, 'label'));
    await using sm = connectSm(context);
    const body = {
      ...(platform === everyPlatform ? {} : { platform_id: await platformIdOf(sm, platform) }),
      service_plan_id: await planIdOf(sm, plan, context.flags.text('broker')),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    };
    await printOne(context, sm, {
      kind,
      object: (await sm.send(kind.path, { method: 'POST', body })).body as SmObject,
    });
    return 0;
  },
};

/** Keys with all values that were given for them. */
const labelsOf = (pairs: readonly (readonly [string, string])[]): Record<string, string[]> =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([key]) => key)].map(([key, given]) => [key, given.map(([, value]) => value)]),
  );

const updateVisibility: Command = {
  name: 'visibility update',
  aliases: ['update-visibility', 'uv'],
  group,
  summary: 'Change a visibility',
  usage: 'ID JSON [flags]',
  examples: [`chandlery visibility update 5f1c '{"platform_id": "eu-2"}'`],
  arguments: { required: ['ID', 'JSON'] },
  formats: resultFormats,
  options: commonFlags,
  notes: ['JSON may be @file, or - for the standard input.'],
  goal: ([id]) => `change the visibility ${id}`,
  async run(context) {
    const [id = '', json = ''] = context.args;
    const body = await readJson(context, json);
    await using sm = connectSm(context);
    await printOne(context, sm, {
      kind,
      object: (await sm.send(pathOf(kind, id), { method: 'PATCH', body })).body as SmObject,
    });
    return 0;
  },
};

const getVisibility: Command = {
  name: 'visibility get',
  group,
  summary: 'Show a visibility',
  usage: 'ID | PLATFORM PLAN [flags]',
  examples: ['chandlery visibility get eu-1 database/small', 'chandlery visibility get 5f1c -o json'],
  arguments: { required: ['ID'], optional: ['PLAN'] },
  formats: resultFormats,
  options: { ...brokerFlag, ...commonFlags },
  notes: [namesNote],
  goal: args => `show the visibility ${args.join(' ')}`,
  async run(context) {
    await using sm = connectSm(context);
    await printOne(context, sm, { kind, object: await findVisibility(sm, context) });
    return 0;
  },
};

const deleteVisibility: Command = {
  name: 'visibility delete',
  aliases: ['delete-visibility', 'dv'],
  group,
  summary: 'Close a plan to a platform',
  usage: 'ID | PLATFORM PLAN [flags]',
  examples: ['chandlery visibility delete eu-1 database/small', 'chandlery visibility delete 5f1c -y --ignore-missing'],
  arguments: { required: ['ID'], optional: ['PLAN'] },
  options: { ...brokerFlag, ...deleteFlags, ...commonFlags },
  notes: [namesNote],
  goal: args => `delete the visibility ${args.join(' ')}`,
  async run(context) {
    const name = context.args.join(' ');
    await using sm = connectSm(context);
    return await remove(context, sm, { kind, name, find: () => findVisibility(sm, context) });
  },
};

/** A visibility has no name: it is found by its id, or by its platform and plan. */
async function findVisibility(sm: SmClient, { args, flags }: CommandContext): Promise<SmObject> {
  const [first = '', plan] = args;
  if (plan === undefined) return sm.get(pathOf(kind, first));
  const platformId = first === everyPlatform ? '' : await platformIdOf(sm, first);
  const ofPlan = await having(sm, kind, {
    field: 'service_plan_id',
    value: await planIdOf(sm, plan, flags.text('broker')),
  });
  const [found, ...others] = ofPlan.filter(({ platform_id = '' }) => platform_id === platformId);
  if (found === undefined) throw missing(kind, `${first} ${plan}`);
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id).join(', ');
  throw ambiguous(`there are ${others.length + 1} visibilities of ${plan} for ${first}: ${ids}`, 'its id instead');
}

/** Commands for visibilities. */
export const visibilityCommands: readonly Command[] = [
  getVisibility,
  createVisibility,
  updateVisibility,
  deleteVisibility,
];
