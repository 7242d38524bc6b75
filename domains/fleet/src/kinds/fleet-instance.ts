import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, count, declared, flag, rowStatus, text, texts } from './common.ts';

/** States of an instance; `model/transitions` says who may move it from which to which. */
export const instanceStates = [
  'accepted',
  'preparing',
  'provisioning',
  'ready',
  'failed',
  'suspending',
  'suspended',
  'resuming',
  'deprovision',
  'deleting',
] as const;

export type InstanceState = (typeof instanceStates)[number];

const versionPair = (description: string) =>
  Type.Optional(
    Type.Object({ product: text('Of the product.'), operator: text('Of its operator, X.Y.Z-B.') }, { description }),
  );

/** One instance of a product. The name of the object is its id. */
export const fleetInstances = defineKind({
  ...declared,
  kind: 'FleetInstance',
  shortNames: ['finst'],
  categories: ['fleet'],
  description: 'An instance of a fleet product: who ordered it, where it runs, and how far it is.',
  spec: Type.Object({
    product: Type.String({ minLength: 1, description: 'The FleetProduct.' }),
    name: text('Unique in the organisation. Default: the name of the object.'),
    owner: Type.String({ minLength: 1, description: 'The user who may change and delete it.' }),
    ownerAccountId: text('The account of the owner, as the token said.'),
    organisation: Type.String({ minLength: 1, description: 'The organisation whose members may read it.' }),
    cloudProvider: text("Default: the configuration's default provider."),
    region: text("Default: the provider's default region."),
    multiAz: flag('Spread over several zones.'),
    plan: text('instance_type.size_id. Default: by the quota of the owner, first size.'),
    instance: text('The id of the service instance as which it was ordered.'),
  }),
  status: Type.Object({
    ...rowStatus,
    state: Type.Optional(Type.Enum(instanceStates)),
    stateSince: text('When the state was entered; deadlines count from here.'),
    failedReason: text('Why it failed.'),
    instanceType: text('standard, eval, or another type of the configuration.'),
    sizeId: text('The size of the type.'),
    quotaType: text('The quota service that granted it, and that releases it.'),
    subscriptionId: text('The id of the quota hold.'),
    /**
     * What the instance occupies: units of quota, of a region, of a cluster, each `<scope>#<number>`. No two instances
     * share one, so a unit cannot be given twice, and all of them are free when the object is removed.
     */
    holds: texts('Units of quota and capacity that it occupies.'),
    units: count('Capacity units, whether limited or not.'),
    quotaScope: text('Where its quota is counted, whether limited or not.'),
    quotaUnits: count('Quota units, whether limited or not.'),
    clusterId: text('The data-plane cluster.'),
    placementId: text('Another one for each placement.'),
    namespace: text('On the data-plane cluster.'),
    host: text('The DNS name of the instance; unique.'),
    desired: versionPair('Versions that it should run.'),
    actual: versionPair('Versions that the agent reported.'),
    upgrading: Type.Optional(
      Type.Object(
        { product: flag('An upgrade of the product runs.'), operator: flag('An upgrade of the operator runs.') },
        { description: 'What is being upgraded.' },
      ),
    ),
    routes: Type.Optional(
      Type.Array(Type.Object({ domain: Type.String(), router: Type.String() }), {
        description: 'DNS names and where they lead, as reported by the agent.',
      }),
    ),
    endpoints: Type.Optional(
      Type.Array(Type.Object({ address: Type.String(), port: Type.Integer(), name: text('Of the port.') }), {
        description: 'Where it takes connections on its cluster, as reported by the agent.',
      }),
    ),
    routesProblem: text('Why the routes that the agent reported are not accepted.'),
    formerRoutes: Type.Optional(
      Type.Array(Type.Object({ domain: Type.String(), router: Type.String() }), {
        description: 'Routes on clusters that it left; their DNS records are removed with it.',
      }),
    ),
    agentReady: flag('The agent reported it as ready.'),
    routesCreated: flag('The DNS records of all routes are in force.'),
    dnsChangeId: text('A change of DNS that is in progress.'),
    adminUrl: text("The instance's own administration, as reported by the agent."),
    ssoClientId: text('Its client at the identity provider.'),
    secretName: text('The Secret in the namespace "fleet" with its credentials and certificate.'),
    certificateExpiresAt: text('When its certificate must have been renewed.'),
    certificateNames: texts('DNS names of its certificate. Default: the host alone.'),
    readySince: text('When it became ready for the first time.'),
    expiresAt: text('When it is deleted: the end of a trial, or of the grace period after quota was lost.'),
    excludedClusters: texts('Clusters that reported to be full for it.'),
    extensionData: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'What steps added by a product remember.' }),
    ),
  }),
  columns: [
    column('Product', '.spec.product'),
    column('Display-Name', '.spec.name'),
    column('Organisation', '.spec.organisation'),
    column('State', '.status.state'),
    column('Cluster', '.status.clusterId'),
    column('Host', '.status.host', 1),
    column('Version', '.status.actual.product', 1),
    column('Reason', '.status.failedReason', 1),
    ageColumn,
  ],
  selectableFields: ['.spec.product'],
  uniqueKeys: [
    { name: 'id', within: 'cluster', values: ({ metadata }) => [metadata.name ?? ''] },
    {
      name: 'name',
      within: 'cluster',
      values: ({ metadata, spec }) => [JSON.stringify([spec.product, spec.organisation, spec.name ?? metadata.name])],
    },
    { name: 'host', within: 'cluster', values: ({ status }) => (status?.host ? [status.host] : []) },
    { name: 'hold', within: 'cluster', values: ({ status }) => status?.holds ?? [] },
  ],
});

export type FleetInstance = ObjectOf<typeof fleetInstances>;
