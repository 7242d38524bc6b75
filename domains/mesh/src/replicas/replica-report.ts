import { toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { isSameJson } from '@chandlery/runtime';
import { type MeshReplica, meshReplicas, replicaSeconds } from '../kinds/mesh-replica.ts';
import type { ProxyAcknowledgements } from '../ports.ts';

/** What a replica reports of itself. */
export type ReplicaState = Omit<MeshReplica['spec'], 'writes'>;

export interface ReplicaReportOptions {
  /** Of the platform cluster. */
  readonly platform: Client;
  /** Of this replica; no other has it. */
  readonly replica: string;
  readonly stateNow: () => ReplicaState;
  /** How often it is written although nothing is different. Default: three times before it would be forgotten. */
  readonly renewEveryMs?: number;
  readonly logger: Logger;
}

const ref = meshReplicas.ref;

/** Looked at so often, written only when it is different or about to be forgotten. */
const checkIntervalMs = 1000;
const defaultRenewEveryMs = (replicaSeconds * 1000) / 3;

/** Tells the other replicas about the proxies of this one. */
export class ReplicaReport implements AsyncDisposable {
  readonly #options: ReplicaReportOptions;
  readonly #timer: NodeJS.Timeout;
  #written: { readonly state: ReplicaState; readonly atMs: number } | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writes = 0;
  #isStopped = false;

  constructor(options: ReplicaReportOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), checkIntervalMs);
    this.#timer.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#writing;
    const { platform, replica } = this.#options;
    if (this.#written !== undefined) await platform.delete({ ...ref, name: replica }).catch(() => undefined);
  }

  #look(): void {
    this.#writing = this.#writing.then(() => this.#writeIfDue());
  }

  /** A replica without proxies has nothing to say; the others need not wait for it. */
  async #writeIfDue(): Promise<void> {
    const state = this.#options.stateNow();
    if (this.#isStopped || (state.proxies === 0 && this.#written === undefined)) return;
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

  /** Counted, as a write that changes nothing would not put off the end of the report. */
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

/** What the reports of all replicas come to. Always reads: a root is exchanged rarely, and never on old knowledge. */
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
