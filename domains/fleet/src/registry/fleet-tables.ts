import { defineTable, type RowsOf, rowWriters } from '@chandlery/registry';
import { fleetKinds } from '../kinds/index.ts';

/** A term of an index over several fields. Parts are encoded, so that none can be taken for another. */
export const indexTerm = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');

/** The tables of the fleet manager. Index terms over several fields are made by {@link indexTerm}. */
export const fleetTables = {
  products: defineTable({ kind: fleetKinds.products, indexes: {} }),
  instances: defineTable({
    kind: fleetKinds.instances,
    isHeld: true,
    indexes: {
      product: ({ spec }) => spec.product,
      /** `<product>/<organisation>` */
      organisation: ({ spec }) => indexTerm(spec.product, spec.organisation),
      /** `<product>/<clusterId>` */
      cluster: ({ spec, status }) => status.clusterId && indexTerm(spec.product, status.clusterId),
      /** `<product>/<owner>` */
      owner: ({ spec }) => indexTerm(spec.product, spec.owner),
      /** `<product>/<state>`; instances that were not admitted yet are under `<product>/`. */
      state: ({ spec, status }) => indexTerm(spec.product, status.state ?? ''),
      /** `<product>/<organisation>/<name>` */
      name: ({ id, spec }) => indexTerm(spec.product, spec.organisation, spec.name ?? id),
    },
  }),
  clusters: defineTable({
    kind: fleetKinds.clusters,
    isHeld: true,
    indexes: {
      product: ({ spec }) => spec.product,
      /** `<product>/<provider>/<region>` */
      region: ({ spec }) => indexTerm(spec.product, spec.cloudProvider, spec.region),
    },
  }),
  records: defineTable({ kind: fleetKinds.records, indexes: { product: ({ spec }) => spec.product } }),
  grants: defineTable({
    kind: fleetKinds.grants,
    indexes: {
      product: ({ spec }) => spec.product,
      /** `<product>/org/<organisation>` or `<product>/account/<username>` */
      subject: ({ spec }) =>
        spec.account === undefined
          ? indexTerm(spec.product, 'org', spec.organisation ?? '')
          : indexTerm(spec.product, 'account', spec.account),
    },
  }),
  users: defineTable({
    kind: fleetKinds.users,
    indexes: {
      /** `<organisation>/<username>` */
      user: ({ spec }) => indexTerm(spec.organisation, spec.username),
    },
  }),
  auditEntries: defineTable({ kind: fleetKinds.auditEntries, indexes: { product: ({ spec }) => spec.product } }),
  rollouts: defineTable({ kind: fleetKinds.rollouts, indexes: { product: ({ spec }) => spec.product } }),
};

/** The row of each table. */
export type FleetRows = RowsOf<typeof fleetTables>;

export type ProductRow = FleetRows['products'];
export type InstanceRow = FleetRows['instances'];
export type ClusterRow = FleetRows['clusters'];
export type RecordRow = FleetRows['records'];
export type AuditRow = FleetRows['auditEntries'];
export type RolloutRow = FleetRows['rollouts'];

export const { createRow, updateRow, removeRow, checkRow } = rowWriters<FleetRows>();
