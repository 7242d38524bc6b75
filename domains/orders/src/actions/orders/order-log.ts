import type { KubeObject } from '@chandlery/api';
import { containersOf } from '../../model/documents/order-pods.ts';
import { isEnded } from '../../model/order-status.ts';
import type { ReadContainerLog } from '../../order-ports.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import type { ActionDeps } from '../action-deps.ts';
import { type LogLine, mergeLogs, readLines } from './merge-logs.ts';
import type { OrderDeps } from './order-deps.ts';

/** What reading logs needs. */
export type LogDeps = Pick<OrderDeps, 'workflows' | 'blobs' | 'registry'> & {
  readonly readContainerLog: ReadContainerLog;
};

/** A part of a log. Both times in milliseconds since 1970. */
export interface LogRange {
  /** Default: from the beginning. */
  readonly from?: number | undefined;
  /** Default: up to the end. */
  readonly to?: number | undefined;
}

/** Returns the lines of an order's containers, by time. Those of an order that has ended are stored. */
export async function* orderLog(deps: LogDeps, row: OrderRow, range: LogRange = {}): AsyncGenerator<LogLine> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  for await (const line of await openLog(deps, row)) if (line.time >= from && line.time <= to) yield line;
}

async function openLog(deps: LogDeps, { status }: OrderRow): Promise<AsyncIterable<LogLine>> {
  if (status.logDigest !== undefined) return readLines(deps.blobs.read(status.logDigest));
  const workflow = status.workflow === undefined ? undefined : await deps.workflows.get(status.workflow);
  return workflow === undefined ? none() : workflowLog(deps.readContainerLog, workflow);
}

/** Returns the lines of a Workflow's containers, by time. */
export async function* workflowLog(readContainerLog: ReadContainerLog, workflow: KubeObject): AsyncGenerator<LogLine> {
  const logs = await Promise.all(containersOf(workflow).map(container => readContainerLog(container)));
  yield* mergeLogs(logs.filter(log => log !== undefined).map(readLines));
}

const followPauseMs = 500;

/** As {@link orderLog}, and what comes after it, until the order ends or the signal is aborted. */
export async function* followLog(deps: LogDeps, id: string, signal: AbortSignal): AsyncGenerator<LogLine> {
  let seen = 0;
  for (;;) {
    const row = deps.registry.orders.get(id);
    if (row === undefined) return;
    const isLast = isEnded(row.status.status ?? 'pending');
    let count = 0;
    for await (const line of orderLog(deps, row)) if (++count > seen) yield line;
    seen = Math.max(seen, count);
    if (isLast || signal.aborted) return;
    await waitForEnd(deps, id, AbortSignal.any([signal, AbortSignal.timeout(followPauseMs)]));
  }
}

async function waitForEnd({ registry }: LogDeps, id: string, signal: AbortSignal): Promise<void> {
  const hasEnded = (row: OrderRow | undefined): boolean => row === undefined || isEnded(row.status.status ?? 'pending');
  await registry.orders.until(id, hasEnded, signal).catch(() => undefined);
}

/** Larger logs are cut. */
const maxStoredBytes = 64 * 1024 * 1024;

/** Stores the log of an order that has ended, and returns its digest. `commit` records the digest. */
export async function storeLog(
  { blobs, blobLocks }: Pick<ActionDeps, 'blobs' | 'blobLocks'>,
  lines: AsyncIterable<LogLine>,
  commit: (digest: string) => Promise<void>,
): Promise<void> {
  await using staged = await blobs.stage(bytesOf(lines));
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

async function* none(): AsyncGenerator<LogLine> {}
