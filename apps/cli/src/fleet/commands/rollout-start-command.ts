import { type FleetRollout, fleetKinds } from '@chandlery/fleet/kinds';
import type { Flags } from '../../args/flags.ts';
import { formatOf, secondsOf } from '../../args/global-flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { nameOf, printOne } from '../../output/print-results.ts';
import { countOf, fleetGroup, productFlag, productOf, waitFlags } from '../fleet-flags.ts';
import { connectObjects } from '../fleet-objects.ts';
import { untilFinished } from '../follow-rollout.ts';
import { phaseOf } from '../render-rollout.ts';

const defaultTimeoutSeconds = 3600;

/** Begins a rollout. */
export const rolloutStartCommand: Command = {
  name: 'fleet rollout start',
  group: fleetGroup,
  summary: 'Move instances to another version in waves, canary first',
  usage: 'NAME --version VERSION [flags]',
  examples: [
    'chandlery fleet rollout start dinosaurs-1-1 --version 1.1.0',
    'chandlery fleet rollout start careful --version 1.1.0 --wave 1 --wave 5% --wave 25% --per-cluster 2 --wait',
    'chandlery fleet rollout start operators --operator-version 2.0.0-1 --cluster frankfurt-1',
  ],
  arguments: { required: ['NAME'] },
  formats: resultFormats,
  options: {
    ...productFlag,
    version: { type: 'text', valueName: 'VERSION', about: 'The version of the product to move to.' },
    'operator-version': { type: 'text', valueName: 'VERSION', about: 'The version of its operator to move to.' },
    cluster: { type: 'text', valueName: 'CLUSTER', about: 'Only instances on it. Default: on all.', isMultiple: true },
    org: { type: 'text', valueName: 'ORG', about: 'Only instances of it. Default: of all.', isMultiple: true },
    wave: {
      type: 'text',
      valueName: 'N|N%',
      about: 'The size of the next wave; what is left follows last. Default: 1, 10%, the rest.',
      isMultiple: true,
    },
    'per-cluster': { type: 'text', valueName: 'N', about: 'Upgrades in progress on a cluster at a time. Default: 10.' },
    'max-failures': { type: 'text', valueName: 'N', about: 'Failures that do not pause it. Default: 0.' },
    'instance-timeout': {
      type: 'text',
      valueName: 'SECONDS',
      about: 'After which the upgrade of an instance has failed. Default: 900.',
    },
    paused: { type: 'switch', about: 'Begin paused: nothing is upgraded before "fleet rollout resume".' },
    ...waitFlags('it has ended or stopped, showing how far it is', defaultTimeoutSeconds),
  },
  notes: [
    'It pauses when more upgrades have failed than tolerated: then "fleet rollout resume" continues, "fleet rollout abort" takes the wave back.',
    'With --wait the exit code is 0 only when all instances were upgraded.',
  ],
  goal: ([name]) => `start the rollout "${name}"`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const timeoutMs = secondsOf(context.flags, 'timeout', defaultTimeoutSeconds);
    const wanted = newRollout(context.args[0] ?? '', context.flags);
    await using client = connectObjects(context);
    const created = await client.create<FleetRollout>(fleetKinds.rollouts.ref, wanted);
    const rollout = context.flags.isOn('wait')
      ? await untilFinished(client, created, { timeoutMs, progress: context.stderr })
      : created;
    printOne(context, { object: rollout, format, render: storyOf });
    return 0;
  },
};

/** The object to create. */
function newRollout(name: string, flags: Flags): FleetRollout {
  const [productVersion, operatorVersion] = [flags.text('version'), flags.text('operator-version')];
  if (productVersion === undefined && operatorVersion === undefined)
    throw usageError('MissingArgument', '--version VERSION or --operator-version VERSION is missing');
  const [clusters, organisations, waves] = [flags.texts('cluster'), flags.texts('org'), flags.texts('wave')];
  const optional = {
    productVersion,
    operatorVersion,
    clusters: clusters.length === 0 ? undefined : [...clusters],
    organisations: organisations.length === 0 ? undefined : [...organisations],
    waves: waves.length === 0 ? undefined : waves.map(readWave),
    maxConcurrentPerCluster: countOf(flags, 'per-cluster', 1),
    maxFailures: countOf(flags, 'max-failures', 0),
    instanceTimeoutSeconds: countOf(flags, 'instance-timeout', 1),
    paused: flags.isOn('paused') ? true : undefined,
  };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  const { apiVersion, kind } = fleetKinds.rollouts;
  return { apiVersion, kind, metadata: { name }, spec: { product: productOf(flags), ...given } };
}

function readWave(text: string): { count: number } | { percent: number } {
  const [, digits, percent] = /^(\d{1,6})(%?)$/.exec(text) ?? [];
  const size = Number(digits);
  if (!(size >= 1) || (percent === '%' && size > 100))
    throw usageError(
      'InvalidOption',
      `--wave must be a number of instances or a percentage such as 10%, not "${text}"`,
    );
  return percent === '%' ? { percent: size } : { count: size };
}

const storyOf = (rollout: FleetRollout): string =>
  [
    `${nameOf(rollout)} started (${phaseOf(rollout)})`,
    `  Next:  npx chandlery fleet rollout status ${rollout.metadata.name}`,
    '',
  ].join('\n');
