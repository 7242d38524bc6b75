import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { isSameJson } from '@chandlery/runtime';
import type { Program } from '../model/program.ts';
import { type CollectDeps, collectSamples } from '../samples/collect-samples.ts';
import type { ClusterStatus, ControlPlane } from './control-plane.ts';

export interface HeartbeatOptions extends CollectDeps {
  readonly controlPlane: ControlPlane;
  /** `dinosaur`. */
  readonly singular: () => string;
  /** The program is another one than before. */
  readonly onProgramChange: () => void;
  readonly capacity?: JsonObject | undefined;
  readonly logger: Logger;
  /** Default 30,000. */
  readonly heartbeatMs?: number;
}

const defaultHeartbeatMs = 30_000;
const retryMs = 1000;

/** Fetches the program, reports the cluster and sends samples, again and again. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #program: Program | undefined;
  #takesSamples = true;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** The program in force; undefined before it is known. */
  get program(): Program | undefined {
    return this.#program;
  }

  /** Beats until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { heartbeatMs = defaultHeartbeatMs } = this.#options;
    while (!signal.aborted) {
      const isDone = await this.#beat(signal);
      await sleep(isDone ? heartbeatMs : retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #beat(signal: AbortSignal): Promise<boolean> {
    const { controlPlane, singular, logger } = this.#options;
    try {
      await this.#readProgram(signal);
      await controlPlane.reportCluster(this.#status(), singular());
      await this.#sendSamples();
      return true;
    } catch (thrown) {
      if (!signal.aborted) logger.warn('the cluster could not be reported', { error: toError(thrown).message });
      return false;
    }
  }

  async #readProgram(signal: AbortSignal): Promise<void> {
    const program = await this.#options.controlPlane.readProgram(signal);
    if (program === undefined || isSameJson(program, this.#program)) return;
    this.#program = program;
    this.#options.onProgramChange();
  }

  #status(): ClusterStatus {
    const { capacity } = this.#options;
    const operatorVersions = this.#program?.operatorVersions ?? [];
    if (this.#program !== undefined)
      return { isReady: true, reason: 'Ready', message: 'The agent runs.', operatorVersions, capacity };
    const message = 'The product has no program that agents could run.';
    return { isReady: false, reason: 'NoProgram', message, operatorVersions, capacity };
  }

  async #sendSamples(): Promise<void> {
    if (!this.#takesSamples) return;
    const samples = await collectSamples(this.#options);
    if (samples.size > 0) this.#takesSamples = await this.#options.controlPlane.sendSamples(samples);
  }
}
