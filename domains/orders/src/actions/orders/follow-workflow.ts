import { isEnded } from '../../model/order-status.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import { type LogDeps, waitForEnd } from './order-log.ts';

/** People cannot read more than four states in a second. */
const minPauseMs = 250;
/** Reading the Workflow of a large order takes at most this share of the time. */
const maxReadShare = 0.1;

/**
 * Yields the Workflow of an order as a line of JSON, and again whenever it has changed, until the order has ended or the
 * signal is aborted. States that follow each other quickly are left out.
 */
export async function* followWorkflow(deps: LogDeps, id: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let seen: string | undefined;
  for (;;) {
    const start = performance.now();
    const row = deps.registry.orders.get(id);
    if (row === undefined || signal.aborted) return;
    const { workflowDigest, status = 'pending' } = row.status;
    if (workflowDigest !== undefined) {
      yield* deps.blobs.read(workflowDigest);
      return;
    }
    const workflow = await workflowOf(deps, row);
    const { uid, resourceVersion } = workflow?.metadata ?? {};
    const version = `${uid}/${resourceVersion}`;
    if (workflow !== undefined && version !== seen) {
      seen = version;
      yield Buffer.from(`${JSON.stringify(workflow)}\n`);
    }
    if (isEnded(status)) return;
    const pauseMs = Math.max(minPauseMs, (performance.now() - start) / maxReadShare);
    await waitForEnd(deps, id, AbortSignal.any([signal, AbortSignal.timeout(pauseMs)]));
  }
}

const workflowOf = async ({ workflows }: LogDeps, { status: { workflow } }: OrderRow) =>
  workflow === undefined ? undefined : await workflows.get(workflow);
