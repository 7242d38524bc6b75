import { formatAge } from '@chandlery/api';
import { clusterProviders, type Provider, platformServices, serviceProviders } from '@chandlery/providers/kinds';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { resultFormats } from '../output/print-object.ts';
import { type Listed, printList } from '../output/print-results.ts';

export const providerListCommand: Command = {
  name: 'provider list',
  summary: 'List the providers and what they offer',
  usage: '[flags]',
  examples: ['chandlery provider list', 'chandlery provider list -o json'],
  formats: resultFormats,
  options: {},
  goal: () => 'list the providers',
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using client = connect(context);
    const items: Provider[] = [];
    for (const { ref, apiVersion, kind } of [serviceProviders, clusterProviders, platformServices]) {
      for await (const item of client.listAll<Provider>(ref)) items.push({ ...item, apiVersion, kind });
    }
    printList(context, { items, listed, format });
    return 0;
  },
};

const listed: Listed<Provider> = {
  noun: 'provider',
  document: 'List',
  columns: [
    ['name', ({ metadata }) => metadata.name],
    ['kind', ({ kind }) => kind],
    ['phase', ({ status }) => status?.phase],
    ['offers', ({ status }) => (status?.resources ?? []).map(resource => resource.kind).join(', ')],
    ['image', ({ spec }) => spec.image, 'wide'],
    ['age', ({ metadata }, now) => formatAge(metadata.creationTimestamp, now)],
  ],
};
