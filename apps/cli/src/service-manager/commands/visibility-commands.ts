import type { Command } from '../../command.ts';
import { planIdOf } from '../find-plan.ts';
import { platformIdOf } from '../find-platform.ts';
import { commonFlags, deleteFlags, pairsOf, printingOf } from '../flags.ts';
import { printOne } from '../print.ts';
import { readJson } from '../read-input.ts';
import { remove } from '../remove.ts';
import { connectSm } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import type { SmObject } from '../sm-types.ts';
import { groups } from './groups.ts';

const kind = smKinds.visibilities;
const group = groups.catalog;
/** Stands for every platform. */
const everyPlatform = '*';

const registerVisibility: Command = {
  name: 'register-visibility',
  aliases: ['rv'],
  group,
  summary: 'Open a plan to a platform, or to all',
  usage: 'PLATFORM PLAN [flags]',
  examples: [
    'chandlery register-visibility eu-1 database/small',
    `chandlery register-visibility '*' 0b1f9c1e-plan-id`,
    'chandlery register-visibility cf database/small --label organization_guid=o1 --label organization_guid=o2',
  ],
  arguments: { required: ['PLATFORM', 'PLAN'] },
  options: {
    broker: { type: 'text', short: 'b', valueName: 'BROKER', about: 'The broker, when several have the offering.' },
    label: { type: 'text', valueName: 'KEY=VALUE', about: 'A label that narrows it.', isMultiple: true },
    ...commonFlags,
  },
  notes: ["The platform is its id or name, or '*' for all; the plan is its id, or OFFERING/PLAN."],
  goal: ([platform, plan]) => `open the plan ${plan} to the platform ${platform}`,
  async run(context) {
    printingOf(context.flags);
    const [platform = '', plan = ''] = context.args;
    const labels = labelsOf(pairsOf(context.flags, 'label'));
    await using sm = connectSm(context);
    const body = {
      ...(platform === everyPlatform ? {} : { platform_id: await platformIdOf(sm, platform) }),
      service_plan_id: await planIdOf(sm, plan, context.flags.text('broker')),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    };
    printOne(context, kind, (await sm.send(kind.path, { method: 'POST', body })).body as SmObject);
    return 0;
  },
};

/** Keys with all values that were given for them. */
const labelsOf = (pairs: readonly (readonly [string, string])[]): Record<string, string[]> =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([key]) => key)].map(([key, given]) => [key, given.map(([, value]) => value)]),
  );

const updateVisibility: Command = {
  name: 'update-visibility',
  aliases: ['uv'],
  group,
  summary: 'Change a visibility',
  usage: 'ID JSON [flags]',
  examples: [`chandlery update-visibility 5f1c '{"platform_id": "eu-2"}'`],
  arguments: { required: ['ID', 'JSON'] },
  options: commonFlags,
  notes: ['JSON may be @file, or - for the standard input.'],
  goal: ([id]) => `change the visibility ${id}`,
  async run(context) {
    printingOf(context.flags);
    const [id = '', json = ''] = context.args;
    const body = await readJson(context, json);
    await using sm = connectSm(context);
    printOne(context, kind, (await sm.send(pathOf(kind, id), { method: 'PATCH', body })).body as SmObject);
    return 0;
  },
};

const deleteVisibility: Command = {
  name: 'delete-visibility',
  aliases: ['dv'],
  group,
  summary: 'Close a plan to a platform',
  usage: 'ID [flags]',
  examples: ['chandlery delete-visibility 5f1c', 'chandlery delete-visibility 5f1c -f --ignore-missing'],
  arguments: { required: ['ID'] },
  options: { ...deleteFlags, ...commonFlags },
  goal: ([id]) => `delete the visibility ${id}`,
  async run(context) {
    printingOf(context.flags);
    const [id = ''] = context.args;
    await using sm = connectSm(context);
    return await remove(context, sm, { kind, name: id, find: () => sm.get(pathOf(kind, id)) });
  },
};

/** Commands for visibilities. */
export const visibilityCommands: readonly Command[] = [registerVisibility, updateVisibility, deleteVisibility];
