import { isEnded } from '../../model/order-status.ts';
import type { OrderRow } from '../../registry/orders-registry.ts';
import { type LogDeps, waitForEnd } from './order-log.ts';

/** People cannot read more than four states in a second. */
const minPauseMs = 250;
/** Reading the Workflow of a large order takes at most this share of the time. */
const maxReadShare = 0.1;

/** A state of a Workflow as it is sent, with its end of line. */
interface WorkflowLine {
  readonly version: string;
  readonly bytes: Buffer;
}

/** One reading of a Workflow, shared by all followers of its order. */
interface Reading {
  /** The status of the order when it began: the last state is read after the order has ended. */
  readonly status: string;
  /** Undefined: there is no Workflow yet. */
  readonly line: Promise<WorkflowLine | undefined>;
  /** The next one begins then at the earliest. Infinite while this one is in progress. */
  nextAtMs: number;
}

/** Sends the Workflows of orders while these run. However many follow an order, it is read and serialized once. */
export class FollowedWorkflows {
  readonly #deps: LogDeps;
  readonly #followed = new Map<string, { followers: number; reading?: Reading }>();

  constructor(deps: LogDeps) {
    this.#deps = deps;
  }

  /**
   * Yields the Workflow of an order as a line of JSON, and again whenever it has changed, until the order has ended or
   * the signal is aborted. States that follow each other quickly are left out.
   */
  async *follow(id: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const followed = this.#followed.get(id) ?? { followers: 0 };
    this.#followed.set(id, followed);
    followed.followers += 1;
    try {
      yield* this.#states(id, followed, signal);
    } finally {
      followed.followers -= 1;
      if (followed.followers === 0) this.#followed.delete(id);
    }
  }

  async *#states(id: string, followed: { reading?: Reading }, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let seen: string | undefined;
    for (;;) {
      const row = this.#deps.registry.orders.get(id);
      if (row === undefined || signal.aborted) return;
      const { workflowDigest, status = 'pending' } = row.status;
      if (workflowDigest !== undefined) {
        yield* this.#deps.blobs.read(workflowDigest);
        return;
      }
      const { reading } = followed;
      const isUsable = reading?.status === status && performance.now() < reading.nextAtMs;
      const current = isUsable ? reading : this.#begin(row, status);
      followed.reading = current;
      const line = await current.line;
      if (line !== undefined && line.version !== seen) {
        seen = line.version;
        yield line.bytes;
      }
      if (isEnded(status)) return;
      const pauseMs = Math.max(1, Math.ceil(current.nextAtMs - performance.now()));
      await waitForEnd(this.#deps, id, AbortSignal.any([signal, AbortSignal.timeout(pauseMs)]));
    }
  }

  #begin(row: OrderRow, status: string): Reading {
    const startMs = performance.now();
    const line = this.#line(row).finally(() => {
      const nowMs = performance.now();
      reading.nextAtMs = nowMs + Math.max(minPauseMs, (nowMs - startMs) / maxReadShare);
    });
    const reading: Reading = { status, line, nextAtMs: Number.POSITIVE_INFINITY };
    return reading;
  }

  async #line({ status: { workflow: address } }: OrderRow): Promise<WorkflowLine | undefined> {
    const workflow = address && (await this.#deps.workflows.get(address));
    if (workflow === undefined) return undefined;
    const { uid, resourceVersion } = workflow.metadata;
    return { version: `${uid}/${resourceVersion}`, bytes: Buffer.from(`${JSON.stringify(workflow)}\n`) };
  }
}
