import type { ServiceEndpoints, ShownEndpoint } from '@chandlery/mesh/kinds';
import { formatPairs, formatTable } from '../output/table.ts';
import { splitText } from './split-text.ts';

/** Renders a service, with a line for each endpoint. */
export function renderEndpoints(service: ServiceEndpoints): string {
  const { namespace, name, ports, addresses, clusters, serviceAccounts, split, endpoints, staleProviders } = service;
  const facts: (readonly [string, string])[] = [
    ['Service', `${namespace}/${name}`],
    ['Ports', ports.map(portText).join(', ')],
    ['Addresses', addresses.join(', ')],
    ['Clusters', clusters.join(', ')],
    ['Accounts', serviceAccounts.join(', ')],
    ['Split', split === undefined ? '' : `${splitText(split.backends)} (by ${split.source})`],
    ...staleProviders.map(({ id, reason }) => ['May be old', `${id}: ${reason}`] as const),
  ];
  const told = formatPairs(facts.filter(([, value]) => value !== ''));
  return endpoints.length === 0 ? `${told}\nIt has no endpoints at present.\n` : `${told}\n${tableOf(endpoints)}`;
}

const portText = ({ name, port, protocol }: ServiceEndpoints['ports'][number]): string =>
  `${port} (${name === '' ? protocol : `${name}, ${protocol}`})`;

function tableOf(endpoints: readonly ShownEndpoint[]): string {
  const hasClouds = endpoints.some(({ isCloud }) => isCloud);
  return formatTable(
    [
      'address',
      'port',
      'health',
      'cluster',
      ...(hasClouds ? ['cloud'] : []),
      'region',
      'zone',
      'weight',
      'account',
      'source',
    ],
    endpoints.map(({ ip, port, health, cluster, isCloud, region, zone, weight, serviceAccount, source }) => [
      ip,
      String(port),
      health,
      isCloud ? '' : cluster,
      ...(hasClouds ? [isCloud ? cluster : ''] : []),
      region ?? '',
      zone ?? '',
      String(weight ?? 1),
      serviceAccount ?? '',
      source ?? '',
    ]),
  );
}
