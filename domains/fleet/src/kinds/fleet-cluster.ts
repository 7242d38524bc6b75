import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, flag, free, rowStatus, text, texts } from './common.ts';

/** States of a data-plane cluster, in the order of its life. */
export const clusterStates = [
  'cluster_accepted',
  'cluster_provisioning',
  'cluster_provisioned',
  'waiting_for_fleetshard_operator',
  'ready',
  'failed',
  'deprovisioning',
  'cleanup',
] as const;

export type ClusterState = (typeof clusterStates)[number];

/** A data-plane cluster in the service of one product. The name of the object is `<product>.<clusterId>`. */
export const fleetClusters = defineKind({
  ...declared,
  kind: 'FleetCluster',
  shortNames: ['fcl'],
  categories: ['fleet'],
  scope: 'Cluster',
  description:
    'A cluster that runs instances of a fleet product: where it is, what fits on it, when its agent last spoke.',
  spec: Type.Object({
    product: Type.String({ minLength: 1, description: 'The FleetProduct.' }),
    clusterId: Type.String({ minLength: 1, description: 'The id in REST paths and agent tokens.' }),
    displayName: text('Default: the id.'),
    cloudProvider: Type.String({ description: 'Such as aws.' }),
    region: Type.String({ description: 'Of the provider.' }),
    multiAz: flag('Spread over several zones.'),
    schedulable: Type.Boolean({ default: true, description: 'Takes new instances.' }),
    instanceLimit: Type.Integer({ default: -1, description: 'Capacity units in all; -1: no limit.' }),
    supportedInstanceTypes: texts('Default: all types.'),
    providerType: Type.Enum(['standalone', 'landscape'], {
      default: 'standalone',
      description: 'standalone: it exists and has an agent. landscape: the landscape makes it and runs its agent.',
    }),
    clusterDns: text('The base of its routes, such as apps.frankfurt-1.example.com.'),
    origin: Type.Enum(['document', 'scaling', 'manual'], {
      default: 'manual',
      description: 'Who added it: the configuration document, the scale-up, or a user of kubectl.',
    }),
    initialState: text('The state it begins in. Default: cluster_accepted.'),
    order: Type.Optional(
      Type.Integer({ description: 'Its place in the configuration; placement tries lower ones first.' }),
    ),
  }),
  status: Type.Object({
    ...rowStatus,
    state: Type.Optional(Type.Enum(clusterStates)),
    stateSince: text('When the state was entered.'),
    failedReason: text('Why it failed.'),
    agentMessage: text('Why the agent reports the cluster as not ready.'),
    clusterDns: text('As the provider says, where the spec has none.'),
    operatorVersions: Type.Optional(
      Type.Array(
        Type.Object({ version: Type.String(), ready: Type.Boolean(), productVersions: Type.Array(Type.String()) }),
        { description: 'As last reported by the agent, ascending.' },
      ),
    ),
    capacity: free('Units by instance type, as reported by the agent: {type: {maxUnits, remainingUnits}}.'),
    lastSeenAt: text("The agent's last contact, written at most every half minute."),
    isAgentSilent: flag('The agent has not spoken for too long; the cluster gets no new instances.'),
    clusterRequest: text('The ClusterRequest, for clusters that the landscape makes.'),
    agentClientId: text('Who the agent is at the identity provider.'),
    draining: flag('Takes no new instances and is removed when empty.'),
    lost: flag('An operator said that it no longer exists: deletions do not wait for its agent.'),
  }),
  columns: [
    column('Product', '.spec.product'),
    column('Provider', '.spec.cloudProvider'),
    column('Region', '.spec.region'),
    column('State', '.status.state'),
    column('Last-Seen', '.status.lastSeenAt'),
    ageColumn,
  ],
});

export type FleetCluster = ObjectOf<typeof fleetClusters>;

/** The name of the object of a cluster. */
export const fleetClusterName = (product: string, clusterId: string): string => `${product}.${clusterId}`;
