import { defineTable, type RowsOf, rowWriters } from '@chandlery/registry';
import { ordersKinds, siteController, siteHostOf } from '../kinds/index.ts';
import { controllerSchemaOf } from '../model/schema-names.ts';
import { controllerOf } from '../model/services/convert-workflow.ts';
import { standingQueue } from '../model/standing-queue.ts';

/** A term of an index over several fields. Parts are encoded, so that none can be taken for another. */
export const indexTerm = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');

const tenant = (row: { readonly tenant: string }): string => row.tenant;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The tables of services and orders. Index terms over several fields are made by {@link indexTerm}. */
export const ordersTables = {
  services: defineTable({
    kind: ordersKinds.services,
    indexes: {
      tenant,
      /** The host name of sites. */
      siteHost: ({ spec }) => siteHostOf(spec),
      /** The tenant of sites. */
      siteTenant: ({ tenant, spec }) => siteHostOf(spec) && tenant,
      /** The URN of the artifact of sites. */
      siteArtifact: ({ spec }) => textOf(siteController(spec)?.['artifact'])?.toLowerCase(),
      /** `<tenant>/<schema>` of the controller, normalised. */
      tenantSchema: ({ tenant, spec }) => {
        const schema = controllerSchemaOf(controllerOf(spec));
        return schema && indexTerm(tenant, schema);
      },
    },
  }),
  orders: defineTable({
    kind: ordersKinds.orders,
    indexes: {
      tenant,
      /** The URN of the service. */
      service: ({ spec }) => spec.service,
      status: ({ status }) => status.status ?? '',
      /** `<tenant>/<status>` */
      tenantStatus: ({ tenant, status }) => indexTerm(tenant, status.status ?? ''),
      /** `<tenant>/<key>` */
      idempotencyKey: ({ tenant, spec }) => spec.idempotencyKey && indexTerm(tenant, spec.idempotencyKey),
      /** Of log and Workflow. */
      digest: ({ status }) => [status.logDigest, status.workflowDigest].filter(digest => digest !== undefined),
      /** The UUID of the queue that a standing order processes. */
      queue: ({ spec }) => standingQueue(spec),
      /** `<namespace>/<name>` of the Workflow. */
      workflow: ({ status }) => status.workflow && indexTerm(status.workflow.namespace, status.workflow.name),
    },
  }),
  jobs: defineTable({
    kind: ordersKinds.jobs,
    indexes: {
      tenant,
      /** The URN of the service. */
      service: ({ spec }) => spec.service,
      /** The URN of the order. */
      order: ({ spec }) => spec.order,
      /** Of request and result. */
      digest: ({ status }) => [status.requestDigest, status.resultDigest].filter(digest => digest !== undefined),
    },
  }),
  jobEvents: defineTable({ kind: ordersKinds.jobEvents, indexes: { job: ({ spec }) => spec.job } }),
  artifacts: defineTable({
    kind: ordersKinds.artifacts,
    indexes: {
      tenant,
      digest: ({ status }) => status.digest,
      /** `<tenant>/<collection>`: an artifact may name a collection of another tenant, and is not in it. */
      collection: ({ tenant, spec }) => (spec.collections ?? []).map(id => indexTerm(tenant, id)),
      /** `<tenant>/<order>` of the order that produced it. */
      producer: ({ tenant, spec }) => spec.order && indexTerm(tenant, spec.order),
    },
  }),
  collections: defineTable({
    kind: ordersKinds.collections,
    indexes: {
      tenant,
      /** `<tenant>/<name>` */
      name: ({ tenant, spec }) => spec.name && indexTerm(tenant, spec.name),
    },
  }),
  queues: defineTable({ kind: ordersKinds.queues, indexes: { tenant } }),
  queueMessages: defineTable({
    kind: ordersKinds.queueMessages,
    indexes: {
      tenant,
      queue: ({ spec }) => spec.queue,
    },
  }),
  aspects: defineTable({
    kind: ordersKinds.aspects,
    indexes: {
      tenant,
      /** `<tenant>/<entity>` */
      entity: ({ tenant, spec }) => indexTerm(tenant, spec.entity),
      /** `<tenant>/<entity>/<schema>` of those that hold. */
      current: ({ tenant, spec, status }) =>
        status.validTo === undefined ? indexTerm(tenant, spec.entity, spec.schema) : undefined,
    },
  }),
  secrets: defineTable({
    kind: ordersKinds.secrets,
    indexes: {
      tenant,
      /** `<tenant>/<type>/<name>` */
      name: ({ tenant, spec }) => indexTerm(tenant, spec.type, spec.name),
    },
  }),
  history: defineTable({
    kind: ordersKinds.history,
    indexes: {
      table: ({ spec }) => spec.table,
      /** `<table>/<tenant>` */
      tenant: ({ tenant, spec }) => indexTerm(spec.table, tenant),
      /** `<table>/<record>` */
      record: ({ spec }) => indexTerm(spec.table, spec.record),
    },
  }),
};

/** The row of each table. */
export type OrdersRows = RowsOf<typeof ordersTables>;

export type ServiceRow = OrdersRows['services'];
export type OrderRow = OrdersRows['orders'];
export type JobRow = OrdersRows['jobs'];
export type ArtifactRow = OrdersRows['artifacts'];
export type CollectionRow = OrdersRows['collections'];
export type QueueRow = OrdersRows['queues'];
export type QueueMessageRow = OrdersRows['queueMessages'];
export type AspectRow = OrdersRows['aspects'];
export type SecretRow = OrdersRows['secrets'];
export type HistoryRow = OrdersRows['history'];

export const { createRow, updateRow, removeRow, checkRow } = rowWriters<OrdersRows>();
