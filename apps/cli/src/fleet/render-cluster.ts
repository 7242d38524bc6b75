import { formatAge } from '@chandlery/api';
import type { FleetCluster, FleetInstance } from '@chandlery/fleet/kinds';
import type { Listed } from '../output/print-results.ts';
import { renderConditions, renderPairs } from './render-parts.ts';

/** Columns of the list of clusters. */
export const listedClusters: Listed<FleetCluster> = {
  noun: 'cluster',
  document: 'List',
  columns: [
    ['cluster', ({ spec }) => spec.clusterId],
    ['product', ({ spec }) => spec.product],
    ['provider', ({ spec }) => spec.cloudProvider],
    ['region', ({ spec }) => spec.region],
    ['state', stateText],
    ['agent', agentText],
    ['age', ({ metadata }, now) => formatAge(metadata.creationTimestamp, now)],
  ],
  whenEmpty: 'Clusters come from the configuration (chandlery fleet configure), or by themselves in mode auto.',
};

/** Everything worth reading about a cluster and its instances. */
export function renderCluster(cluster: FleetCluster, instances: readonly FleetInstance[]): string {
  const { spec, status = {} } = cluster;
  const used = instances.reduce((sum, instance) => sum + (instance.status?.units ?? 0), 0);
  const now = new Date();
  const pairs = renderPairs([
    ['Cluster', spec.clusterId],
    ['Product', spec.product],
    ['Region', `${spec.region} of ${spec.cloudProvider}`],
    ['Zones', spec.multiAz ? 'several' : 'one'],
    ['State', stateText(cluster)],
    ['Reason', status.failedReason],
    ['Agent', agentText(cluster, now)],
    ['Takes new', spec.schedulable && !status.draining ? 'yes' : 'no'],
    ['Types', spec.supportedInstanceTypes?.join(', ') ?? 'all'],
    ['Units', `${used} used of ${spec.instanceLimit < 0 ? 'unlimited' : spec.instanceLimit}`],
    ['Instances', statesText(instances)],
    ['Domain', status.clusterDns ?? spec.clusterDns],
    ['Provided by', `${spec.providerType}, added by ${spec.origin}`],
    ['Operators', (status.operatorVersions ?? []).map(operatorText).join('; ')],
  ]);
  return `${pairs}${renderConditions(status.conditions, now)}`;
}

function stateText({ spec, status }: FleetCluster): string {
  const state = status?.state ?? spec.initialState ?? 'cluster_accepted';
  if (status?.lost) return `${state} (lost)`;
  return status?.draining ? `${state} (draining)` : state;
}

function agentText({ status }: FleetCluster, now: Date): string {
  if (status?.lastSeenAt === undefined) return 'never seen';
  return `${status.isAgentSilent ? 'silent, last seen' : 'seen'} ${formatAge(status.lastSeenAt, now)} ago`;
}

function statesText(instances: readonly FleetInstance[]): string {
  const byState = Map.groupBy(instances, ({ status }) => status?.state ?? 'not admitted');
  const parts = [...byState].toSorted().map(([state, members]) => `${members.length} ${state}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

type OperatorVersion = NonNullable<NonNullable<FleetCluster['status']>['operatorVersions']>[number];

const operatorText = ({ version, ready, productVersions }: OperatorVersion): string =>
  `${version}${ready ? '' : ' (not ready)'} for ${productVersions.join(', ')}`;
