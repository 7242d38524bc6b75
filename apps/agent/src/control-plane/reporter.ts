import { setTimeout as sleep } from 'node:timers/promises';
import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { backOffMs, isSameJson } from '@chandlery/runtime';
import type { InstanceStatus } from '../model/instance-status.ts';

export interface ReporterOptions {
  /** Sends one batch; rejects when the control plane did not take it. */
  readonly send: (statuses: ReadonlyMap<string, InstanceStatus>) => Promise<void>;
  readonly logger: Logger;
  /** Changes within this time are sent together. Default 50. */
  readonly debounceMs?: number;
}

const maxBatch = 500;
const failureBackOff = { baseMs: 500, maxMs: 15_000 };

/** Reports what has changed of instances, several at a time, until the control plane has taken it. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #current = new Map<string, InstanceStatus>();
  readonly #pending = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Reports a status that differs from the last one. */
  report(id: string, status: InstanceStatus): void {
    if (isSameJson(this.#current.get(id), status)) return;
    this.#current.set(id, status);
    this.#enqueue(id);
  }

  /** Reports everything once more. */
  resync(): void {
    for (const id of this.#current.keys()) this.#enqueue(id);
  }

  /** Stops reporting an instance that the control plane no longer has. */
  forget(id: string): void {
    this.#current.delete(id);
    this.#pending.delete(id);
  }

  /** The last status of an instance. */
  statusOf(id: string): InstanceStatus | undefined {
    return this.#current.get(id);
  }

  /** Sends what is reported until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#changed.resolve(), { once: true });
    for (let failures = 0; !signal.aborted; ) {
      await this.#changed.promise;
      await sleep(this.#options.debounceMs ?? 50, undefined, { signal }).catch(() => undefined);
      failures = (await this.#sendBatch()) ? 0 : failures + 1;
      if (failures > 0) await sleep(backOffMs(failures, failureBackOff), undefined, { signal }).catch(() => undefined);
    }
  }

  #enqueue(id: string): void {
    this.#pending.add(id);
    this.#changed.resolve();
  }

  async #sendBatch(): Promise<boolean> {
    const ids = [...this.#pending].slice(0, maxBatch);
    for (const id of ids) this.#pending.delete(id);
    if (this.#pending.size === 0) this.#changed = Promise.withResolvers();
    const batch = new Map(ids.flatMap(id => pair(id, this.#current.get(id))));
    if (batch.size === 0) return true;
    try {
      await this.#options.send(batch);
      return true;
    } catch (thrown) {
      this.#options.logger.warn('reports were not taken', { instances: batch.size, error: toError(thrown).message });
      for (const id of batch.keys()) if (this.#current.has(id)) this.#enqueue(id);
      return false;
    }
  }
}

const pair = (id: string, status: InstanceStatus | undefined): readonly (readonly [string, InstanceStatus])[] =>
  status === undefined ? [] : [[id, status]];
