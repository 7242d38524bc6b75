import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Flags } from '../args/flags.ts';
import { formatOf, secondsOf } from '../args/global-flags.ts';
import type { Command, CommandContext } from '../command.ts';
import { connect, connectionOf, serverOfCluster } from '../landscape/connect.ts';
import { followObject } from '../landscape/follow-object.ts';
import { resultFormats } from '../output/print-object.ts';
import { printOne } from '../output/print-results.ts';
import { clustersGroup, conditionOf, isReady, type LogicalCluster, logicalClusters } from './logical-cluster.ts';

export const clustersCreateCommand: Command = {
  name: 'cluster create',
  group: clustersGroup,
  summary: 'Create a logical cluster and wait until it is ready',
  usage: 'NAME [flags]',
  examples: [
    'chandlery cluster create team-a',
    'chandlery cluster create team-a --display-name "Team A" --admin-user jane --admin-group team-a-admins',
  ],
  arguments: { required: ['NAME'] },
  formats: resultFormats,
  options: {
    'display-name': { type: 'text', valueName: 'TEXT', about: 'A name for people.' },
    'admin-user': { type: 'text', valueName: 'USER', about: 'A user who gets cluster-admin inside.', isMultiple: true },
    'admin-group': {
      type: 'text',
      valueName: 'GROUP',
      about: 'A group that gets cluster-admin inside.',
      isMultiple: true,
    },
    wait: { type: 'switch', about: 'Wait until it is ready. Default: true.' },
    timeout: { type: 'text', valueName: 'TIME', about: 'How long to wait. Default: 60s.' },
  },
  goal: ([name]) => `create the logical cluster "${name}"`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const timeoutMs = secondsOf(context.flags, 'timeout', 60);
    const wanted = newCluster(context.args[0] ?? '', context.flags);
    await using client = connect(context);
    const created = await client.create(logicalClusters, wanted);
    const cluster = context.flags.isOn('wait', true) ? await untilReady(client, created, timeoutMs) : created;
    const object = { ...wanted, ...cluster };
    printOne(context, { object, format, render: () => storyOf(cluster, context) });
    return 0;
  },
};

/** The object to create. Exported for its test. */
export function newCluster(name: string, flags: Flags): LogicalCluster {
  const displayName = flags.text('display-name');
  const admins = [
    ...flags.texts('admin-user').map(user => ({ kind: 'User' as const, name: user })),
    ...flags.texts('admin-group').map(group => ({ kind: 'Group' as const, name: group })),
  ];
  return {
    apiVersion: `${logicalClusters.group}/${logicalClusters.version}`,
    kind: 'LogicalCluster',
    metadata: { name },
    spec: { ...(displayName === undefined ? {} : { displayName }), ...(admins.length === 0 ? {} : { admins }) },
  };
}

async function untilReady(client: Client, created: LogicalCluster, timeoutMs: number): Promise<LogicalCluster> {
  if (isReady(created)) return created;
  const name = created.metadata.name ?? '';
  const signal = AbortSignal.timeout(timeoutMs);
  let last: LogicalCluster | undefined = created;
  const isDone = (object: LogicalCluster | undefined): boolean => {
    last = object;
    return object === undefined || isReady(object);
  };
  try {
    await followObject<LogicalCluster>(client, { ...logicalClusters, name }, { signal, isDone });
  } catch (thrown) {
    throw signal.aborted ? notReady(timeoutMs, last) : thrown;
  }
  if (last === undefined) throw new ChandleryError('NotFound', 'it was deleted before it was ready');
  return last;
}

function notReady(timeoutMs: number, last: LogicalCluster | undefined): Error {
  const why = conditionOf(last, 'Ready')?.message ?? 'it has not said why';
  return new ChandleryError('Timeout', `it exists but is not ready after ${timeoutMs / 1000} s: ${why}`, {
    hint: 'Check it with "npx chandlery cluster list", or wait longer with --timeout.',
  });
}

function storyOf({ metadata: { name = '' }, status }: LogicalCluster, context: CommandContext): string {
  return [
    `logicalcluster.${logicalClusters.group}/${name} created (${status?.phase ?? 'not ready yet'})`,
    `  API:   ${serverOfCluster(connectionOf(context).server, name)}`,
    `  Next:  npx chandlery kubeconfig ${name} > ${name}.kubeconfig`,
    '',
  ].join('\n');
}
