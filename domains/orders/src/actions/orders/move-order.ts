import type { Job, JobEvent, Order, OrderStatus } from '../../kinds/index.ts';
import { isEnded, nextOrderStatus, type OrderEvent, timesOfMove } from '../../model/order-status.ts';
import { urnOf } from '../../model/urns.ts';
import {
  createRow,
  type JobRow,
  type OrderRow,
  type OrdersRegistry,
  type OrdersWrite,
  updateRow,
} from '../../registry/orders-registry.ts';
import { statement } from './order-aspects.ts';

type OrderStatusFields = NonNullable<Order['status']>;
type JobStatusFields = NonNullable<Job['status']>;

/** What changes of an order besides its status. */
export type OrderChanges = Partial<
  Pick<
    OrderStatusFields,
    | 'errorMessage'
    | 'workflow'
    | 'shutdown'
    | 'suspended'
    | 'result'
    | 'warnings'
    | 'logDigest'
    | 'workflowDigest'
    | 'retries'
    | 'runs'
    | 'engineState'
  >
>;

export interface OrderMove {
  /** Default: the status stays. */
  readonly event?: OrderEvent | undefined;
  readonly changes?: OrderChanges;
  /** Fields that a move removes. Default none. */
  readonly cleared?: readonly (keyof OrderChanges)[];
}

/**
 * Returns the writes that move an order: the order, its job with an event, and what is stated about them. None when the event
 * leads nowhere and nothing else changes.
 */
export function moveOrder(
  registry: OrdersRegistry,
  row: OrderRow,
  { event, changes = {}, cleared = [] }: OrderMove,
): readonly OrdersWrite[] {
  const from = row.status.status ?? 'pending';
  const to = event === undefined ? undefined : nextOrderStatus(from, event);
  if (to === undefined) return Object.keys(changes).length === 0 ? [] : [update(row, { ...row.status, ...changes })];
  const dropped = new Set<string>(['startedAt', 'finishedAt', 'errorMessage', ...cleared]);
  const kept = Object.fromEntries(Object.entries(row.status).filter(([name]) => !dropped.has(name)));
  const times = timesOfMove(to, registry.now(), row.status);
  const status: OrderStatusFields = { ...kept, ...changes, status: to, ...times };
  return [update(row, status), ...jobWrites(registry, row, status), ...statements(registry, row, status)];
}

const update = (row: OrderRow, status: OrderStatusFields): OrdersWrite => updateRow({ table: 'orders', row, status });

function statements(registry: OrdersRegistry, row: OrderRow, status: OrderStatusFields): readonly OrdersWrite[] {
  const { id, tenant } = row;
  const entity = urnOf('order', id);
  const writes: OrdersWrite[] = [];
  if (status.workflow !== undefined && row.status.workflow?.name !== status.workflow.name) {
    const { namespace, name } = status.workflow;
    const content = { 'order-id': entity, namespace, workflow: name };
    writes.push(statement(registry, { tenant, entity, schema: 'order-uses-workflow.1', content }));
  }
  if (status.status !== undefined && isEnded(status.status)) {
    const content = { 'order-id': entity, status: status.status, 'finished-at': status.finishedAt };
    writes.push(statement(registry, { tenant, entity, schema: 'order-finished.1', content }));
  }
  return writes;
}

/** Returns the job that an order executes. A job of another tenant may name the order, and is not its. */
export function jobOfOrder({ jobs }: Pick<OrdersRegistry, 'jobs'>, { id, tenant }: OrderRow): JobRow | undefined {
  return [...jobs.by('order', urnOf('order', id))].find(job => job.tenant === tenant);
}

/** A job has the status of its order, and the order's result unless it has returned one itself. */
function jobWrites(registry: OrdersRegistry, row: OrderRow, status: OrderStatusFields): readonly OrdersWrite[] {
  const job = jobOfOrder(registry, row);
  if (job === undefined || status.status === undefined) return [];
  const { startedAt, finishedAt, errorMessage } = status;
  const { startedAt: _, finishedAt: __, errorMessage: ___, ...rest } = job.status;
  const isRetried = isEnded(row.status.status ?? 'pending');
  const kept = isRetried ? withoutResult(rest) : rest;
  const next: JobStatusFields = {
    ...kept,
    status: statusOfJob({ status: kept }, status.status),
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(errorMessage !== undefined && { errorMessage }),
    ...resultOf({ status: kept }, status),
  };
  const data = { 'job-urn': urnOf('job', job.id), status: next.status };
  return eventWrites(registry, { job, status: next }, { type: 'ivcap.job.status', data });
}

/** A retry returns a result of its own. */
function withoutResult(status: JobStatusFields): JobStatusFields {
  const {
    resultContentType: _,
    resultContent: __,
    resultDigest: ___,
    resultSize: ____,
    isRejected: _____,
    ...kept
  } = status;
  return kept;
}

/** A service that has rejected the request may have ended well. */
const statusOfJob = ({ status: { isRejected = false } }: Pick<JobRow, 'status'>, status: OrderStatus): OrderStatus =>
  isRejected && status === 'succeeded' ? 'failed' : status;

function resultOf(job: Pick<JobRow, 'status'>, { status, result }: OrderStatusFields): JobStatusFields {
  if (status !== 'succeeded' || job.status.resultContentType !== undefined || result === undefined) return {};
  const { contentType, content } = result as { readonly contentType?: unknown; readonly content?: unknown };
  if (typeof content !== 'string') return {};
  return { resultContentType: String(contentType), resultContent: content, resultSize: Buffer.byteLength(content) };
}

/** Returns the writes that change a job and notify its followers. */
export function eventWrites(
  registry: Pick<OrdersRegistry, 'now'>,
  { job, status }: { readonly job: JobRow; readonly status: JobStatusFields },
  event: Pick<JobEvent['spec'], 'type' | 'data'> & Partial<JobEvent['spec']>,
): readonly OrdersWrite[] {
  const sequence = (job.status.lastEvent ?? 0) + 1;
  const spec = { timestamp: registry.now(), ...event, job: job.id, sequence };
  return [
    updateRow({ table: 'jobs', row: job, status: { ...status, lastEvent: sequence } }),
    createRow({ table: 'jobEvents', id: `${job.id}.${sequence}`, tenant: job.tenant, spec }),
  ];
}
