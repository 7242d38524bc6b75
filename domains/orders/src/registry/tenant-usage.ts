import { workflowNamespace } from '../model/documents/order-document.ts';
import { type ArtifactRow, indexTerm, type OrdersRegistry, type QueueMessageRow } from './orders-registry.ts';
import { TableSum } from './table-sum.ts';
import type { WorkflowArtifactRow, WorkflowArtifacts } from './workflows/workflow-registry.ts';

/** The tables whose rows count as records of a tenant. */
const countedTables = [
  'services',
  'orders',
  'jobs',
  'artifacts',
  'collections',
  'queues',
  'queueMessages',
  'aspects',
  'secrets',
] as const;

/** What each tenant has, kept by change. */
export class TenantUsage implements Disposable {
  readonly #registry: OrdersRegistry;
  /** Bytes of artifacts by the namespace of the tenant's workflows. An unfinished upload counts with all that is to come. */
  readonly artifactBytes: TableSum<ArtifactRow>;
  /** Bytes of artifacts of workflows by namespace. */
  readonly workflowBytes: TableSum<WorkflowArtifactRow> | undefined;
  /** Unfinished uploads by tenant. */
  readonly unfinishedUploads: TableSum<ArtifactRow>;
  /** Bytes of messages by tenant, and by queue. */
  readonly messageBytes: TableSum<QueueMessageRow>;
  readonly queueBytes: TableSum<QueueMessageRow>;

  /** Artifacts of workflows count when they are given. */
  constructor(registry: OrdersRegistry, workflowArtifacts?: WorkflowArtifacts) {
    const { artifacts, queueMessages } = registry;
    this.#registry = registry;
    this.artifactBytes = new TableSum(artifacts, row => ({
      key: workflowNamespace(row.tenant),
      amount: claimedBytes(row),
    }));
    this.workflowBytes =
      workflowArtifacts && new TableSum(workflowArtifacts, ({ tenant, spec }) => ({ key: tenant, amount: spec.size }));
    this.unfinishedUploads = new TableSum(artifacts, row => ({ key: row.tenant, amount: isUnfinished(row) ? 1 : 0 }));
    this.messageBytes = new TableSum(queueMessages, row => ({ key: row.tenant, amount: bytesOf(row) }));
    this.queueBytes = new TableSum(queueMessages, row => ({ key: row.spec.queue, amount: bytesOf(row) }));
  }

  /** Bytes of the artifacts of the tenant whose workflows are in a namespace, those of the workflows included. */
  bytesIn(namespace: string): number {
    return this.artifactBytes.of(namespace) + (this.workflowBytes?.of(namespace) ?? 0);
  }

  /** The number of a tenant's records. */
  records(tenant: string): number {
    return countedTables.reduce((sum, table) => sum + this.#registry[table].count('tenant', tenant), 0);
  }

  /** The number of a tenant's sites. */
  sites(tenant: string): number {
    return this.#registry.services.count('siteTenant', tenant);
  }

  /** The number of a tenant's services whose controllers have one of the schemas, which are normalised. */
  servicesOf(tenant: string, schemas: readonly string[]): number {
    const { services } = this.#registry;
    return schemas.reduce((sum, schema) => sum + services.count('tenantSchema', indexTerm(tenant, schema)), 0);
  }

  [Symbol.dispose](): void {
    for (const sum of [this.artifactBytes, this.unfinishedUploads, this.messageBytes, this.queueBytes])
      sum[Symbol.dispose]();
    this.workflowBytes?.[Symbol.dispose]();
  }
}

const bytesOf = ({ spec }: QueueMessageRow): number => Buffer.byteLength(spec.content);

/** Whether bytes of an artifact are still to come. */
export const isUnfinished = ({ status }: Pick<ArtifactRow, 'status'>): boolean =>
  status.status === 'pending' || status.status === 'partial';

const claimedBytes = (row: ArtifactRow): number =>
  isUnfinished(row) ? Math.max(row.status.uploadLength ?? 0, row.status.size ?? 0) : (row.status.size ?? 0);
