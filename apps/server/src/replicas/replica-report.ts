import { toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { isSameJson } from '@chandlery/runtime';
import { type LandscapeReplica, landscapeReplicas, replicaSeconds } from './landscape-replica.ts';

/** The state that a replica reports. */
export type ReplicaState = Omit<LandscapeReplica['spec'], 'writes'>;

export interface ReplicaReportOptions {
  /** Of the platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Unique name of this process. */
  readonly replica: string;
  readonly stateNow: () => ReplicaState;
  readonly logger: Logger;
}

const checkEveryMs = 1000;
const renewEveryMs = (replicaSeconds * 1000) / 3;
/** Names of objects are host names. */
const objectName = (replica: string): string => replica.toLowerCase().replace(/[^a-z0-9-]+/g, '-');

/** Reports this process to the other replicas, as long as it runs. */
export class ReplicaReport implements AsyncDisposable {
  readonly #options: ReplicaReportOptions;
  readonly #timer: NodeJS.Timeout;
  #written: { readonly state: ReplicaState; readonly atMs: number } | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writes = 0;

  constructor(options: ReplicaReportOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.check(), checkEveryMs).unref();
    this.check();
  }

  /** Writes a report if there is something new, or the last one is about to expire. */
  check(): void {
    this.#writing = this.#writing.then(() => this.#writeIfDue());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    const { platform, replica } = this.#options;
    if (this.#written === undefined) return;
    await platform.delete({ ...landscapeReplicas.ref, name: objectName(replica) }).catch(() => undefined);
  }

  async #writeIfDue(): Promise<void> {
    const state = this.#options.stateNow();
    const isDue = this.#written === undefined || performance.now() - this.#written.atMs > renewEveryMs;
    if (!isDue && isSameJson(this.#written?.state, state)) return;
    try {
      await this.#write(state);
      this.#written = { state, atMs: performance.now() };
    } catch (error) {
      this.#options.logger.warn('cannot report this replica, will be tried again', { error: toError(error).message });
    }
  }

  /** Each write has another number: a write without a difference would not extend the time to live. */
  async #write(state: ReplicaState): Promise<void> {
    const { platform, replica } = this.#options;
    const name = objectName(replica);
    const body = landscapeReplicas.object({ name }, { ...state, writes: ++this.#writes });
    await platform.patch(
      { ...landscapeReplicas.ref, name },
      { type: 'apply', body, force: true },
      { fieldManager: 'chandlery-replica' },
    );
  }
}

/** The replicas that run. */
export async function listReplicas(platform: Client): Promise<readonly (ReplicaState & { readonly name: string })[]> {
  const { items } = await platform.list<LandscapeReplica>(landscapeReplicas.ref);
  return items.map(({ metadata: { name = '' }, spec: { writes: _, ...state } }) => ({ name, ...state }));
}
