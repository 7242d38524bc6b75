import { formatAge } from '@chandlery/api';
import { clusterProviders, type Provider, platformServices, serviceProviders } from '@chandlery/providers/kinds';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { formatValue } from '../output/print-object.ts';
import { writeTable } from '../output/table.ts';

export const providerListCommand: Command = {
  name: 'provider list',
  summary: 'List the providers and what they offer',
  usage: '[flags]',
  examples: ['chandlery provider list', 'chandlery provider list -o json'],
  options: {},
  goal: () => 'list the providers',
  async run(context) {
    const format = formatOf(context.flags);
    await using client = connect(context);
    const items: Provider[] = [];
    for (const { ref, apiVersion, kind } of [serviceProviders, clusterProviders, platformServices]) {
      for await (const item of client.listAll<Provider>(ref)) items.push({ ...item, apiVersion, kind });
    }
    if (format === 'table') writeTable(context, listingOf(items, new Date()));
    else context.stdout.write(formatValue({ apiVersion: 'v1', kind: 'List', items }, format));
    return 0;
  },
};

const listingOf = (items: readonly Provider[], now: Date) => ({
  noun: 'provider',
  headings: ['name', 'kind', 'phase', 'offers', 'age'],
  rows: items.map(({ kind, metadata, status }) => [
    metadata.name ?? '',
    kind,
    status?.phase ?? '',
    (status?.resources ?? []).map(resource => resource.kind).join(', '),
    formatAge(metadata.creationTimestamp, now),
  ]),
});
