import { formatAge } from '@chandlery/api';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { formatValue } from '../output/print-object.ts';
import { formatTable } from '../output/table.ts';
import { type LogicalCluster, logicalClusters } from './logical-cluster.ts';

export const clustersListCommand: Command = {
  name: 'clusters list',
  summary: 'List the logical clusters',
  usage: '[flags]',
  examples: ['chandlery clusters list', 'chandlery clusters list -o json'],
  options: {},
  goal: () => 'list the logical clusters',
  async run(context) {
    const format = formatOf(context.flags);
    await using client = connect(context);
    const items = await Array.fromAsync(client.listAll<LogicalCluster>(logicalClusters));
    context.stdout.write(
      format === 'table' ? tableOf(items, new Date()) : formatValue({ apiVersion: 'v1', kind: 'List', items }, format),
    );
    return 0;
  },
};

const tableOf = (items: readonly LogicalCluster[], now: Date): string =>
  formatTable(
    ['name', 'phase', 'view of', 'display name', 'age'],
    items.map(({ metadata, spec, status }) => [
      metadata.name ?? '',
      status?.phase ?? '',
      spec?.view?.base ?? '',
      spec?.displayName ?? '',
      formatAge(metadata.creationTimestamp, now),
    ]),
  );
