import { toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { isSameJson } from '@chandlery/runtime';
import { type MeshReplica, meshReplicas, replicaSeconds } from '../kinds/mesh-replica.ts';
import type { ProxyAcknowledgements } from '../ports.ts';

/** The state that a replica reports. */
export type ReplicaState = Omit<MeshReplica['spec'], 'writes'>;

export interface ReplicaReportOptions {
  /** Client of the platform cluster. */
  readonly platform: Client;
  /** Unique name of this replica. */
  readonly replica: string;
  readonly stateNow: () => ReplicaState;
  /** How often an unchanged report is renewed. Default: three times within its time to live. */
  readonly renewEveryMs?: number;
  readonly logger: Logger;
}

const ref = meshReplicas.ref;

/** How often the state is compared with the written report. */
const checkIntervalMs = 1000;
const defaultRenewEveryMs = (replicaSeconds * 1000) / 3;

/** Reports the proxies of this replica to the other replicas. */
export class ReplicaReport implements AsyncDisposable {
  readonly #options: ReplicaReportOptions;
  readonly #timer: NodeJS.Timeout;
  #written: { readonly state: ReplicaState; readonly atMs: number } | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writes = 0;
  #isStopped = false;

  constructor(options: ReplicaReportOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), checkIntervalMs);
    this.#timer.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#writing;
    const { platform, replica } = this.#options;
    if (this.#written !== undefined) await platform.delete({ ...ref, name: replica }).catch(() => undefined);
  }

  #check(): void {
    this.#writing = this.#writing.then(() => this.#writeIfDue());
  }

  /** A replica that knows nothing writes no report: no other replica has to wait for it. */
  async #writeIfDue(): Promise<void> {
    const state = this.#options.stateNow();
    const knowsNothing = state.proxies === 0 && state.lostMachines === undefined;
    if (this.#isStopped || (knowsNothing && this.#written === undefined)) return;
    const { renewEveryMs = defaultRenewEveryMs } = this.#options;
    const isDue = this.#written === undefined || performance.now() - this.#written.atMs > renewEveryMs;
    if (!isDue && isSameJson(this.#written?.state, state)) return;
    try {
      await this.#write(state);
      this.#written = { state, atMs: performance.now() };
    } catch (error) {
      this.#options.logger.warn('cannot report the proxies of this replica, will be tried again', {
        error: toError(error).message,
      });
    }
  }

  /** Each write has another number: a write without a difference would not extend the time to live. */
  async #write(state: ReplicaState): Promise<void> {
    const { platform, replica } = this.#options;
    const body = meshReplicas.object({ name: replica }, { ...state, writes: ++this.#writes });
    await platform.patch(
      { ...ref, name: replica },
      { type: 'apply', body, force: true },
      { fieldManager: 'chandlery-mesh' },
    );
  }
}

/**
 * Acknowledgements from the reports of all replicas. Reads them each time, because a root rotation must not act on
 * stale data.
 */
export function acknowledgementsOf(platform: Client): ProxyAcknowledgements {
  const states = async (): Promise<readonly ReplicaState[]> =>
    (await platform.list<MeshReplica>(ref)).items.map(({ spec }) => spec);
  return {
    haveAllAcknowledged: async trustVersion => {
      const all = await states();
      const waitingFor = [...new Set(all.flatMap(state => state.waitingFor))].sort();
      const done = waitingFor.length === 0 && all.every(state => state.trustVersion === trustVersion);
      return { done, waitingFor };
    },
    listCertifiedBy: async rootFingerprint => {
      const roots = (await states()).flatMap(state => state.roots);
      const found = roots.filter(({ fingerprint }) => fingerprint === rootFingerprint);
      return [...new Set(found.flatMap(({ nodeIds }) => nodeIds))].sort();
    },
  };
}
