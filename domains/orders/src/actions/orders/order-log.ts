import { Readable } from 'node:stream';
import type { KubeObject } from '@chandlery/api';
import { OrdersError } from '../../errors.ts';
import { workflowName } from '../../model/documents/order-document.ts';
import { containersOf } from '../../model/documents/order-pods.ts';
import { isEnded } from '../../model/order-status.ts';
import { standingQueue } from '../../model/standing-queue.ts';
import { urnOf } from '../../model/urns.ts';
import type { ReadContainerLog, WorkflowAddress } from '../../order-ports.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import type { ActionDeps } from '../action-deps.ts';
import { type LogLine, mergeLogs, readLines } from './merge-logs.ts';
import type { OrderDeps } from './order-deps.ts';

/** What reading logs needs. */
export type LogDeps = Pick<OrderDeps, 'workflows' | 'blobs' | 'registry'>;

/** A part of a log. Both times in milliseconds since 1970. */
export interface LogRange {
  /** Default: from the beginning. */
  readonly from?: number | undefined;
  /** Default: up to the end. */
  readonly to?: number | undefined;
  /** The id of the node whose containers are read. Default: all. */
  readonly node?: string | undefined;
}

/** Returns the lines of an order's containers, by time. Those of an order that has ended are stored. */
export async function* orderLog(deps: LogDeps, row: OrderRow, range: LogRange = {}): AsyncGenerator<LogLine> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  for await (const line of await openLog(deps, row, range.node)) if (line.time >= from && line.time <= to) yield line;
}

async function openLog(deps: LogDeps, row: OrderRow, node: string | undefined): Promise<AsyncIterable<LogLine>> {
  const { logDigest } = row.status;
  if (logDigest !== undefined && node === undefined) return readLines(deps.blobs.read(logDigest));
  const addresses = workflowsOf(deps, row);
  const logs = await Promise.all(
    addresses.map(async address => {
      const workflow = await deps.workflows.get(address);
      return workflow === undefined ? [] : [workflowLog(deps.workflows.readLog, workflow, { ...address, node })];
    }),
  );
  if (logs.flat().length === 0 && logDigest !== undefined) throw nodeLogGone(row);
  return mergeLogs(logs.flat());
}

/** What is stored with an order is the log of all of its nodes. */
const nodeLogGone = ({ id }: OrderRow): OrdersError =>
  new OrdersError(
    'not-found',
    'The Workflow of the order has been removed, and with it the logs of single nodes: read the log of the order, without a node',
    { id: urnOf('order', id) },
  );

/** Of a standing order so many of the last runs are read. */
const maxLoggedRuns = 50;

/** The Workflow of an order; of a standing one those of its last runs. */
function workflowsOf({ workflows }: LogDeps, { id, tenant, spec, status }: OrderRow): readonly WorkflowAddress[] {
  if (standingQueue(spec) === undefined) return status.workflow === undefined ? [] : [status.workflow];
  const { runs = 0 } = status;
  const first = Math.max(1, runs - maxLoggedRuns + 1);
  const numbers = Array.from({ length: runs - first + 1 }, (_, at) => first + at);
  return numbers.map(run => ({ ...workflows.placeOf(tenant), name: workflowName({ id, run }) }));
}

/** Returns the lines of a Workflow's containers, by time; with `node` those of one node. */
export async function* workflowLog(
  readLog: ReadContainerLog,
  workflow: KubeObject,
  { cluster, node }: Pick<WorkflowAddress, 'cluster'> & Pick<LogRange, 'node'>,
): AsyncGenerator<LogLine> {
  const containers = containersOf(workflow).filter(({ nodeId }) => node === undefined || nodeId === node);
  const logs = await Promise.all(containers.map(container => readLog({ ...container, cluster })));
  yield* mergeLogs(logs.filter(log => log !== undefined).map(readLines));
}

const followPauseMs = 500;

/**
 * As {@link orderLog}, and what comes after it, until the order ends or the signal is aborted. Each part is to be read to
 * its end before the next one; it ends where there is nothing more at present.
 */
export async function* followLog(
  deps: LogDeps,
  id: string,
  { node, signal }: Pick<LogRange, 'node'> & { readonly signal: AbortSignal },
): AsyncGenerator<AsyncIterable<LogLine>> {
  const seen = { count: 0 };
  for (;;) {
    const row = deps.registry.orders.get(id);
    if (row === undefined) return;
    const isLast = isEnded(row.status.status ?? 'pending');
    yield linesAfter(seen, orderLog(deps, row, { node }));
    if (isLast || signal.aborted) return;
    await waitForEnd(deps, id, AbortSignal.any([signal, AbortSignal.timeout(followPauseMs)]));
  }
}

/** The lines after those that were seen, which are counted. */
async function* linesAfter(seen: { count: number }, lines: AsyncIterable<LogLine>): AsyncGenerator<LogLine> {
  let count = 0;
  for await (const line of lines) {
    count += 1;
    if (count > seen.count) yield line;
  }
  seen.count = Math.max(seen.count, count);
}

/** Waits until an order has ended, or the signal is aborted. */
export async function waitForEnd(
  { registry }: Pick<LogDeps, 'registry'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const hasEnded = (row: OrderRow | undefined): boolean => row === undefined || isEnded(row.status.status ?? 'pending');
  await registry.orders.until(id, hasEnded, signal).catch(() => undefined);
}

/** Larger logs are cut. */
const maxStoredBytes = 64 * 1024 * 1024;

/** Stores the log of an order that has ended, and returns its digest. `commit` records the digest. */
export async function storeLog(
  deps: Pick<ActionDeps, 'blobs' | 'blobLocks'>,
  lines: AsyncIterable<LogLine>,
  commit: (digest: string) => Promise<void>,
): Promise<void> {
  await storeBlob(deps, bytesOf(lines), commit);
}

/** Stores bytes that belong to a record. `commit` records their digest. */
export async function storeBlob(
  { blobs, blobLocks }: Pick<ActionDeps, 'blobs' | 'blobLocks'>,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  commit: (digest: string) => Promise<void>,
): Promise<void> {
  await using staged = await blobs.stage(Readable.from(bytes));
  await blobLocks.run(staged.digest, async () => {
    await staged.keep();
    await commit(staged.digest);
  });
}

async function* bytesOf(lines: AsyncIterable<LogLine>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const { stamp, text } of lines) {
    const bytes = Buffer.from(`${stamp} ${text}\n`);
    size += bytes.length;
    if (size > maxStoredBytes) return;
    yield bytes;
  }
}
