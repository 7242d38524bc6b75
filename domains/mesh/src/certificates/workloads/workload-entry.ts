import type { WorkloadIdentity } from '../../model/identity.ts';
import type { Workload } from './stored-certificate.ts';

/** A workload that somebody in this process has asked for. */
export class WorkloadEntry {
  readonly workload: Workload;
  /** By trust domain: whoever asked under a former one is told under that one. */
  readonly askedAs = new Map<string, WorkloadIdentity>();
  /** Whether somebody has asked since the present certificate came. */
  isInUse = true;
  /** When to renew the certificate that is there; undefined while there is none. */
  renewAtMs: number | undefined;
  readonly #waiters: PromiseWithResolvers<void>[] = [];

  constructor(workload: Workload) {
    this.workload = workload;
  }

  ask(identity: WorkloadIdentity): void {
    this.isInUse = true;
    if (!this.askedAs.has(identity.trustDomain)) this.askedAs.set(identity.trustDomain, identity);
  }

  /** Resolves with {@link arrived}, rejects with {@link failed}. */
  arrival(): Promise<void> {
    const waiter = Promise.withResolvers<void>();
    this.#waiters.push(waiter);
    return waiter.promise;
  }

  arrived(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }

  failed(reason: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(reason);
  }
}
