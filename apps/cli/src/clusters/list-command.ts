import { formatAge } from '@chandlery/api';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { resultFormats } from '../output/print-object.ts';
import { type Listed, printList } from '../output/print-results.ts';
import { clustersGroup, type LogicalCluster, logicalClusters } from './logical-cluster.ts';

export const clustersListCommand: Command = {
  name: 'cluster list',
  group: clustersGroup,
  summary: 'List the logical clusters',
  usage: '[flags]',
  examples: ['chandlery cluster list', 'chandlery cluster list -o json'],
  formats: resultFormats,
  options: {},
  goal: () => 'list the logical clusters',
  async run(context) {
    await using client = connect(context);
    const items = await Array.fromAsync(client.listAll<LogicalCluster>(logicalClusters));
    printList(context, { items, listed, format: formatOf(context.flags, resultFormats) });
    return 0;
  },
};

const listed: Listed<LogicalCluster> = {
  noun: 'logical cluster',
  document: 'List',
  columns: [
    ['name', ({ metadata }) => metadata.name],
    ['phase', ({ status }) => status?.phase],
    ['view of', ({ spec }) => spec?.view?.base],
    ['display name', ({ spec }) => spec?.displayName],
    ['age', ({ metadata }, now) => formatAge(metadata.creationTimestamp, now)],
    ['uid', ({ metadata }) => metadata.uid, 'wide'],
  ],
  name: ({ metadata }) => `logicalcluster.${logicalClusters.group}/${metadata.name ?? ''}`,
};
