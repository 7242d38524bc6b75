import { ChandleryError } from '@chandlery/api';
import { type FleetRollout, fleetKinds } from '@chandlery/fleet/kinds';
import { formatOf, secondsOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { nameOf, printList, printOne } from '../../output/print-results.ts';
import { fleetGroup, scopeFlags, waitFlags } from '../fleet-flags.ts';
import { connectObjects, listRollouts } from '../fleet-objects.ts';
import { endPhases, findRollout, untilFinished } from '../follow-rollout.ts';
import { listedRollouts, phaseOf, renderRollout } from '../render-rollout.ts';

const defaultTimeoutSeconds = 3600;

/** Shows one rollout, or lists all. */
export const rolloutStatusCommand: Command = {
  name: 'fleet rollout status',
  aliases: ['fleet rollout list'],
  group: fleetGroup,
  summary: 'Show how far a rollout is, or list all rollouts',
  usage: '[NAME] [flags]',
  examples: ['chandlery fleet rollout status', 'chandlery fleet rollout status dinosaurs-1-1 --wait'],
  arguments: { optional: ['NAME'] },
  formats: resultFormats,
  options: {
    product: scopeFlags.product,
    ...waitFlags('it has ended or stopped, showing how far it is', defaultTimeoutSeconds),
  },
  goal: ([name]) => (name === undefined ? 'list the rollouts' : `show the rollout "${name}"`),
  async run(context) {
    const { flags, args, stderr } = context;
    const format = formatOf(flags, resultFormats);
    const timeoutMs = secondsOf(flags, 'timeout', defaultTimeoutSeconds);
    await using client = connectObjects(context);
    const [name] = args;
    if (name === undefined) {
      const items = await listRollouts(client, flags.text('product'));
      printList(context, { items, listed: listedRollouts, format });
      return 0;
    }
    const found = await findRollout(client, name);
    const object = flags.isOn('wait') ? await untilFinished(client, found, { timeoutMs, progress: stderr }) : found;
    printOne(context, { object, format, render: renderRollout });
    return 0;
  },
};

interface Change {
  readonly verb: string;
  readonly summary: string;
  readonly done: string;
  readonly spec: Readonly<Partial<FleetRollout['spec']>>;
  readonly notes: readonly string[];
}

const changes: readonly Change[] = [
  {
    verb: 'pause',
    summary: 'Begin no further upgrades of a rollout',
    done: 'paused',
    spec: { paused: true },
    notes: ['Upgrades that are in progress continue.'],
  },
  {
    verb: 'resume',
    summary: 'Continue a paused rollout',
    done: 'resumed',
    spec: { paused: false },
    notes: ['After failures it tolerates those that there were.'],
  },
  {
    verb: 'abort',
    summary: 'End a rollout and take the instances of its current wave back',
    done: 'is being aborted',
    spec: { aborted: true },
    notes: ['Instances of earlier waves keep the new version.'],
  },
];

/** Commands that change a rollout which has not ended. */
export const rolloutChangeCommands: readonly Command[] = changes.map(({ verb, summary, done, spec, notes }) => ({
  name: `fleet rollout ${verb}`,
  group: fleetGroup,
  summary,
  usage: 'NAME [flags]',
  examples: [`chandlery fleet rollout ${verb} dinosaurs-1-1`],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {},
  notes,
  goal: ([name]) => `${verb} the rollout "${name}"`,
  async run(context) {
    await using client = connectObjects(context);
    const rollout = await findRollout(client, context.args[0] ?? '');
    if (endPhases.has(phaseOf(rollout)))
      throw new ChandleryError('Conflict', `it has ended: its phase is ${phaseOf(rollout)}`, {
        hint: 'Start another one with "npx chandlery fleet rollout start".',
      });
    const ref = { ...fleetKinds.rollouts.ref, name: rollout.metadata.name ?? '' };
    await client.patch(ref, { type: 'merge', body: { spec } });
    context.stdout.write(`${nameOf(rollout)} ${done}\n`);
    return 0;
  },
}));
