import { ChandleryError, isError, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Clock } from '@chandlery/platform';
import { createInformer, createWorkQueue, type Informer, type Timers, withoutManagedFields } from '@chandlery/runtime';
import { type MeshWorkloadCertificate, meshWorkloadCertificates } from '../../kinds/mesh-workload-certificate.ts';
import type { WorkloadIdentity } from '../../model/identity.ts';
import type { WorkloadCertificate } from '../../ports.ts';
import { renewalTime } from '../leaf/renewal.ts';
import type { Trust } from '../roots/trust.ts';
import { storeCertificate } from './certificate-store.ts';
import { certificateName, handedOut, newCertificate, periodOf } from './stored-certificate.ts';
import { WorkloadEntry } from './workload-entry.ts';

export interface WorkloadCertificatesOptions {
  /** The platform cluster. */
  readonly client: Client;
  readonly trust: () => Trust;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly onError: (error: ChandleryError) => void;
  /** Called when the certificate of an identity that was asked for is there, or is another one. */
  readonly onRenewed: (identity: WorkloadIdentity) => void;
}

/** So many are made between two looks at other work: each takes the processor for about half a millisecond. */
const workerCount = 8;

/** Renewals are looked for by wall clock: a timer of hours would not notice that the machine was asleep. */
const sweepMs = 5000;

/**
 * The certificates of workloads, kept in the store so that all replicas hand out the same. Whoever needs one first makes
 * it, whoever first sees it due renews it; one that nobody asked for since its last renewal is forgotten.
 */
export class WorkloadCertificates implements AsyncDisposable {
  readonly #options: WorkloadCertificatesOptions;
  readonly #stored: Informer<MeshWorkloadCertificate>;
  readonly #entries = new Map<string, WorkloadEntry>();
  /** Names of certificates to make: each once, and one at a time. */
  readonly #queue = createWorkQueue<string>();
  #workers: Promise<unknown> = Promise.resolve();
  #cancelSweep: () => void = () => undefined;

  constructor(options: WorkloadCertificatesOptions) {
    this.#options = options;
    const { client, onError } = options;
    const { ref } = meshWorkloadCertificates;
    this.#stored = createInformer<MeshWorkloadCertificate>({ client, ref, transform: withoutManagedFields, onError });
    const changed = ({ metadata }: MeshWorkloadCertificate): void => this.#changed(metadata.name ?? '');
    this.#stored.listen({ added: changed, updated: changed, deleted: changed });
  }

  async start(): Promise<void> {
    this.#stored.start();
    await this.#stored.synced;
    this.#workers = Promise.all(Array.from({ length: workerCount }, () => this.#work()));
    this.#sweepLater();
  }

  get(identity: WorkloadIdentity): WorkloadCertificate | undefined {
    const name = certificateName(identity);
    this.#entry(name, identity).ask(identity);
    const usable = this.#usable(name);
    if (usable === undefined) this.#queue.add(name);
    return usable && handedOut(usable);
  }

  async prepare(identity: WorkloadIdentity): Promise<void> {
    if (this.get(identity) !== undefined) return;
    await this.#entry(certificateName(identity), identity).arrival();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelSweep();
    await Promise.all([this.#stored.stop(), this.#queue.stop()]);
    const stopped = new ChandleryError('Stopped', 'the authority of the mesh was stopped');
    for (const entry of this.#entries.values()) entry.failed(stopped);
    await this.#workers;
  }

  #entry(name: string, identity: WorkloadIdentity): WorkloadEntry {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const entry = new WorkloadEntry(identity);
    const stored = this.#usable(name);
    if (stored !== undefined) entry.renewAtMs = this.#renewalOf(stored);
    this.#entries.set(name, entry);
    return entry;
  }

  /** What is stored, unless it has ended or its root is no longer believed. */
  #usable(name: string): MeshWorkloadCertificate | undefined {
    const stored = this.#stored.get(undefined, name);
    if (stored === undefined || periodOf(stored).notAfter <= this.#options.clock.now()) return undefined;
    const isBelieved = this.#options.trust().roots.some(({ fingerprint }) => fingerprint === stored.spec.root);
    return isBelieved ? stored : undefined;
  }

  #renewalOf(stored: MeshWorkloadCertificate): number {
    return renewalTime(periodOf(stored), this.#options.random()).getTime();
  }

  #changed(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    const usable = this.#usable(name);
    entry.renewAtMs = usable && this.#renewalOf(usable);
    if (usable === undefined) return;
    entry.isInUse = false;
    entry.arrived();
    for (const identity of entry.askedAs.values()) this.#options.onRenewed(identity);
  }

  async #work(): Promise<void> {
    for (let work = await this.#queue.next(); work !== undefined; work = await this.#queue.next()) {
      using current = work;
      const entry = this.#entries.get(current.key);
      if (entry !== undefined && this.#isDue(entry, current.key)) await this.#issue(entry, current.key);
    }
  }

  /** It may have come from another replica while it waited for its turn. */
  #isDue({ renewAtMs = 0 }: WorkloadEntry, name: string): boolean {
    return renewAtMs <= this.#options.clock.now().getTime() || this.#usable(name) === undefined;
  }

  async #issue(entry: WorkloadEntry, name: string): Promise<void> {
    const { client, trust, clock, ttlMs, onError } = this.#options;
    try {
      const made = newCertificate(entry.workload, { root: signerOf(trust()), now: clock.now(), ttlMs });
      await storeCertificate(client, made, this.#stored.get(undefined, name));
      this.#queue.forget(name);
    } catch (error) {
      entry.failed(error);
      onError(toError(error));
      // A name that cannot be certified never can.
      if (isError(error, 'InvalidIdentity')) this.#entries.delete(name);
      else this.#queue.addRateLimited(name);
    }
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#options.timers.after(sweepMs, () => {
      this.#sweep();
      this.#sweepLater();
    });
  }

  #sweep(): void {
    const nowMs = this.#options.clock.now().getTime();
    for (const [name, entry] of this.#entries) {
      if (entry.renewAtMs !== undefined && entry.renewAtMs > nowMs) continue;
      if (entry.isInUse) this.#queue.add(name);
      else this.#entries.delete(name);
    }
  }
}

/** The root that signs. Throws `NoSigningRoot`. */
export function signerOf({ signer }: Trust): NonNullable<Trust['signer']> {
  if (signer !== undefined) return signer;
  throw new ChandleryError('NoSigningRoot', 'no active root of the mesh has a key, so that nothing can be certified', {
    hint: 'See the conditions of the MeshRootCertificates; restore the key of an active one or make another one active.',
  });
}
