import { ChandleryError, type Condition, isError, type KubeObject } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import { clusterProviders, type Provider, platformServices, serviceProviders } from '@chandlery/providers/kinds';
import { conditionsOf, isConditionTrue } from '@chandlery/runtime';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { resultFormats } from '../output/print-object.ts';
import { nameOf, printOne } from '../output/print-results.ts';
import { formatTable } from '../output/table.ts';
import { tenantObjects } from './tenant-objects.ts';

export const providerDescribeCommand: Command = {
  name: 'provider describe',
  summary: 'Show how a provider is, what it offers and who uses it',
  usage: 'NAME [flags]',
  examples: ['chandlery provider describe postgres'],
  arguments: { required: ['NAME'] },
  formats: resultFormats,
  options: {},
  goal: ([name]) => `describe the provider "${name}"`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using client = connect(context);
    const provider = await findProvider(client, context.args[0] ?? '');
    const objects = await tenantObjects(context, provider);
    printOne(context, {
      object: { provider, objects },
      format,
      render: () => storyOf(provider, objects),
      name: () => nameOf(provider),
    });
    return 0;
  },
};

/** The provider of a name, of whichever kind. Throws `NotFound`. */
export async function findProvider(client: HttpClient, name: string): Promise<Provider> {
  for (const { ref, apiVersion, kind } of [serviceProviders, clusterProviders, platformServices]) {
    try {
      return { ...(await client.get<Provider>({ ...ref, name })), apiVersion, kind };
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
    }
  }
  throw new ChandleryError('NotFound', `there is no provider "${name}"`, {
    hint: 'See what there is with "npx chandlery provider list".',
  });
}

function storyOf(provider: Provider, objects: readonly KubeObject[]): string {
  const { kind, metadata, spec, status } = provider;
  const offers = (status?.resources ?? []).map(resource => `${resource.kind}.${resource.group}/${resource.version}`);
  return [
    `${kind} ${metadata.name}: ${status?.phase ?? 'not seen yet'}`,
    `  image:   ${spec.image}`,
    `  offers:  ${offers.join(', ') || 'nothing yet'}`,
    '',
    conditionTable(conditionsOf(provider)),
    ...detailsOf(conditionsOf(provider)),
    objects.length === 0 ? 'It is not used.\n' : objectTable(objects),
    ...nextSteps(provider),
  ].join('\n');
}

/** What keeps a provider from being ready is mostly said by its pods, not by itself. */
const nextSteps = (provider: Provider): readonly string[] =>
  isConditionTrue(provider, 'Ready')
    ? []
    : [`Next:  npx chandlery trace ${provider.kind.toLowerCase()}/${provider.metadata.name}\n`];

/** Messages of several lines are below the table, and a message that sums up another condition is shown once. */
const conditionTable = (conditions: readonly Condition[]): string =>
  formatTable(
    ['condition', 'status', 'reason', 'message'],
    conditions.map(({ type, status, reason = '', message = '' }) => {
      const isSame = (other: Condition): boolean => other.type !== 'Ready' && other.message === message;
      const same = type === 'Ready' && message !== '' ? conditions.find(isSame) : undefined;
      const [line = ''] = message.split('\n', 1);
      return [type, status, reason, same === undefined ? line : `see ${same.type}`];
    }),
  );

function detailsOf(conditions: readonly Condition[]): readonly string[] {
  const messages = new Set(conditions.map(({ message = '' }) => message).filter(message => message.includes('\n')));
  return [...messages].map(message => `${message.replaceAll('\n', '\n    ')}\n`);
}

const objectTable = (objects: readonly KubeObject[]): string =>
  formatTable(
    ['kind', 'namespace', 'name', 'phase'],
    objects.map(({ kind, metadata, status }) => [
      kind,
      metadata.namespace ?? '',
      metadata.name ?? '',
      (status as { phase?: string } | undefined)?.phase ?? '',
    ]),
  );
