import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { type FleetInstance, fleetKinds, fleetNamespace } from '@chandlery/fleet/kinds';
import { formatOf, secondsOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { nameOf, printOne } from '../../output/print-results.ts';
import { connectFleet, type FleetClient, landscapeId } from '../fleet-client.ts';
import { fleetGroup, productFlag, productOf, requiredOf, waitFlags } from '../fleet-flags.ts';
import { connectObjects, displayName } from '../fleet-objects.ts';
import { untilReady } from '../follow-instance.ts';

const defaultTimeoutSeconds = 300;

/** A token for one order needs no long life. */
const tokenSeconds = 60;

/** Orders an instance in the name of a user. */
export const instancesCreateCommand: Command = {
  name: 'fleet instance create',
  group: fleetGroup,
  summary: 'Order an instance in the name of a user',
  usage: 'NAME --org ORG --user USER [flags]',
  examples: [
    'chandlery fleet instance create orca --org acme --user ann --wait',
    'chandlery fleet instance create orca --org acme --user ann --plan standard.x1 --provider aws --region eu-central-1',
    'chandlery fleet instance create orca --token-file ann.token',
  ],
  arguments: { required: ['NAME'] },
  formats: resultFormats,
  options: {
    org: { type: 'text', valueName: 'ORG', about: 'The organisation, whose quota is used.' },
    user: { type: 'text', valueName: 'USER', about: 'The user, who becomes its owner.' },
    'token-file': {
      type: 'text',
      valueName: 'FILE',
      about: 'A token of the user, where the product accepts those of other issuers only.',
    },
    ...productFlag,
    plan: { type: 'text', valueName: 'TYPE.SIZE', about: 'Default: by the quota of the user, the first size.' },
    provider: { type: 'text', valueName: 'NAME', about: "The cloud provider. Default: the product's." },
    region: { type: 'text', valueName: 'NAME', about: "The region. Default: the provider's." },
    ...waitFlags('it is ready, showing how far it is', defaultTimeoutSeconds),
  },
  notes: [
    "It is ordered over the product's REST API with a token of the landscape for this user: quota, lists and terms count as for the user.",
    'With --wait the exit code is 1 when the instance fails or is not ready in time.',
  ],
  goal: ([name]) => `order the instance "${name}"`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const timeoutMs = secondsOf(context.flags, 'timeout', defaultTimeoutSeconds);
    const ordered = await order(context);
    await using client = connectObjects(context);
    const ref = { ...fleetKinds.instances.ref, namespace: fleetNamespace, name: ordered.id };
    const created = await client.get<FleetInstance>(ref);
    const instance = context.flags.isOn('wait')
      ? await untilReady(client, created, { timeoutMs, progress: context.stderr })
      : created;
    printOne(context, { object: instance, format, render: storyOf });
    return 0;
  },
};

async function order(context: CommandContext): Promise<{ readonly id: string }> {
  const { flags, args } = context;
  const product = productOf(flags);
  await using fleet = connectFleet(context);
  const body = {
    name: args[0],
    plan: flags.text('plan'),
    cloud_provider: flags.text('provider'),
    region: flags.text('region'),
  };
  const token = await tokenOf(context, fleet);
  return await fleet.ask<{ id: string }>(product, [product], { method: 'POST', query: { async: 'true' }, body, token });
}

async function tokenOf({ flags, cwd }: CommandContext, fleet: FleetClient): Promise<string> {
  const file = flags.text('token-file');
  if (file !== undefined) return readToken(resolve(cwd, file));
  const body = {
    username: requiredOf(flags, 'user', 'USER'),
    organisation: requiredOf(flags, 'org', 'ORG'),
    expiration_seconds: tokenSeconds,
  };
  return (await fleet.ask<{ token: string }>(landscapeId, ['tokens'], { method: 'POST', body })).token;
}

async function readToken(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ChandleryError('NotFound', `cannot read the file ${path}`, { hint: 'Is the name right?', cause });
  });
  return text.trim();
}

function storyOf(instance: FleetInstance): string {
  const { state = 'not admitted yet', host, adminUrl } = instance.status ?? {};
  return [
    `${nameOf(instance)} created (${state})`,
    ...(host === undefined ? [] : [`  Host:  ${host}`]),
    ...(adminUrl === undefined ? [] : [`  URL:   ${adminUrl}`]),
    `  Next:  npx chandlery fleet instance describe ${displayName(instance)}`,
    '',
  ].join('\n');
}
