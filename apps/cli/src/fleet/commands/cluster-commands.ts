import type { Client } from '@chandlery/client';
import type { FleetCluster, FleetInstance } from '@chandlery/fleet/kinds';
import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { nameOf, printList, printOne } from '../../output/print-results.ts';
import { connectFleet, landscapeId } from '../fleet-client.ts';
import { fleetGroup, scopeFlags } from '../fleet-flags.ts';
import { connectObjects, findCluster, listClusters, listInstances } from '../fleet-objects.ts';
import { listedClusters, renderCluster } from '../render-cluster.ts';

const { product } = scopeFlags;

/** Lists the data-plane clusters. */
export const clustersListCommand: Command = {
  name: 'fleet cluster list',
  group: fleetGroup,
  summary: 'List the data-plane clusters, and when their agents were last seen',
  usage: '[flags]',
  examples: ['chandlery fleet cluster list', 'chandlery fleet cluster list --product dinosaurs -o json'],
  formats: resultFormats,
  options: { product },
  goal: () => 'list the clusters of the fleet',
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using client = connectObjects(context);
    const items = await listClusters(client, context.flags.text('product'));
    printList(context, { items, listed: listedClusters, format });
    return 0;
  },
};

/** Shows one data-plane cluster. */
export const clustersDescribeCommand: Command = {
  name: 'fleet cluster describe',
  group: fleetGroup,
  summary: 'Show a data-plane cluster: state, agent, room, instances, versions',
  usage: 'CLUSTER [flags]',
  examples: ['chandlery fleet cluster describe frankfurt-1', 'chandlery fleet cluster describe frankfurt-1 -o yaml'],
  arguments: { required: ['CLUSTER'] },
  formats: resultFormats,
  options: { product },
  goal: ([id]) => `describe the cluster "${id}"`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using client = connectObjects(context);
    const object = await findCluster(client, context.args[0] ?? '', context.flags.text('product'));
    const instances = await instancesOn(client, object);
    printOne(context, { object, format, render: cluster => renderCluster(cluster, instances) });
    return 0;
  },
};

/** Keeps new instances away from a cluster. */
export const clustersDrainCommand: Command = {
  name: 'fleet cluster drain',
  group: fleetGroup,
  summary: 'Keep new instances away from a data-plane cluster, or let them in again',
  usage: 'CLUSTER [flags]',
  examples: [
    'chandlery fleet cluster drain frankfurt-1',
    'chandlery fleet cluster drain frankfurt-1 --undo',
    'chandlery fleet cluster drain frankfurt-1 --lost',
  ],
  arguments: { required: ['CLUSTER'] },
  formats: [],
  options: {
    product,
    undo: { type: 'switch', about: 'Let new instances in again.' },
    lost: { type: 'switch', about: 'The cluster no longer exists: delete instances on it without its agent.' },
  },
  notes: [
    'Instances that are on it stay until they are deleted. A cluster that the landscape made goes when it is empty; clusters of the configuration stay.',
    'With --lost, what is deleted is not removed from the cluster: should it return, objects of deleted instances are still on it.',
  ],
  goal: ([id]) => `drain the cluster "${id}"`,
  async run(context) {
    await using client = connectObjects(context);
    const cluster = await findCluster(client, context.args[0] ?? '', context.flags.text('product'));
    const draining = !context.flags.isOn('undo');
    const lost = context.flags.isOn('lost');
    await using fleet = connectFleet(context);
    const { product: of, clusterId } = cluster.spec;
    const request = { method: 'PUT', query: { product: of }, body: { draining, lost } } as const;
    await fleet.ask(landscapeId, ['clusters', clusterId, 'drain'], request);
    const { length } = await instancesOn(client, cluster);
    const rest = `${length} ${length === 1 ? 'instance is' : 'instances are'} on it`;
    const state = lost ? 'is given up' : 'is draining';
    context.stdout.write(`${nameOf(cluster)} ${draining ? `${state}: ${rest}` : 'takes new instances again'}\n`);
    return 0;
  },
};

async function instancesOn(client: Client, { spec }: FleetCluster): Promise<FleetInstance[]> {
  const ofProduct = await listInstances(client, { product: spec.product, organisation: undefined });
  return ofProduct.filter(({ status }) => status?.clusterId === spec.clusterId);
}
