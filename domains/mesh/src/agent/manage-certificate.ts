import type { X509Certificate } from 'node:crypto';
import { type Clock, systemClock } from '@chandlery/platform';
import { backOffMs, systemTimers, type Timers } from '@chandlery/runtime';
import { createCsr } from '../certificates/csr/create-csr.ts';
import { renewalTime } from '../certificates/leaf/renewal.ts';
import { trustPollMs as defaultTrustPollMs } from '../model/rotation/decide-rotation.ts';
import { leafOf, readCertificateFolder, writeCertificateFolder } from './certificate-folder.ts';

/** What the authority answers. PEM. */
export interface SignedRequest {
  /** Leaf first. */
  readonly chain: string;
  /** Of an Envoy: the certificate of its workload for the same key. Leaf first. */
  readonly workloadChain?: string;
  readonly trustBundle: string;
  /** Of the trust under which it was signed. Undefined: not known, and so another than any. */
  readonly trustVersion?: string;
}

export interface ManageCertificateOptions {
  /** Where `cert.pem`, `key.pem` and `ca.pem` are kept. Made if it is not there. */
  readonly folder: string;
  /** Has a request (PEM, PKCS #10) signed by the authority of the mesh. */
  readonly requestCertificate: (csr: string, signal: AbortSignal) => Promise<SignedRequest>;
  /**
   * Which trust the authority tells at present. As soon as it is another than that of the certificate, that is renewed, and
   * with it the roots. Default: roots are taken over when the certificate is due.
   */
  readonly trustVersion?: (signal: AbortSignal) => Promise<string>;
  /** How often the trust is asked for. Default 15 000. */
  readonly trustPollMs?: number;
  /** Called whenever the files in the folder are new. */
  readonly onRenewed?: () => void;
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** From 0 up to but not 1. Default `Math.random`. */
  readonly random?: () => number;
  /**
   * Called after each look at the authority that nobody asked for, with what went wrong; without it when all is well.
   * What failed is tried again. Default: nobody is told.
   */
  readonly onChecked?: (failure?: unknown) => void;
}

/** A folder whose certificate is renewed in time, until disposed of. */
export interface ManagedCertificate extends AsyncDisposable {
  readonly notAfter: Date;
  /** Renews now, as after a change of the roots. Rejects when that fails; what is in the folder then stays. */
  renew(): Promise<void>;
}

const retryPace = { baseMs: 1_000, maxMs: 60_000 };

/** Timers stand still while a machine sleeps, so the clock is looked at this often. */
const maxWaitMs = 60_000;

/**
 * Keeps the certificate in a folder fresh. One that is still good from an earlier run is kept; otherwise resolves when
 * the first one is there, and rejects when the authority refuses it.
 */
export async function manageCertificate(options: ManageCertificateOptions): Promise<ManagedCertificate> {
  const keeper = new CertificateManager(options);
  await keeper.start();
  return keeper;
}

class CertificateManager implements ManagedCertificate {
  readonly #options: ManageCertificateOptions;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #notAfter = new Date(0);
  #dueAt = new Date(0);
  /** Undefined for a certificate of an earlier run: nobody knows what has happened since. */
  #trustVersion: string | undefined;
  #failures = 0;
  #cancelTimer: () => void = () => undefined;
  #renewal: Promise<void> | undefined;

  constructor(options: ManageCertificateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get notAfter(): Date {
    return this.#notAfter;
  }

  async start(): Promise<void> {
    const leaf = this.#takeOver();
    if (leaf) this.#dueAt = renewalTime({ notBefore: leaf.validFromDate, notAfter: this.#notAfter }, this.#random());
    if (this.#clock.now() >= this.#dueAt) await this.renew();
    this.#wait();
  }

  renew(): Promise<void> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#cancelTimer();
    await this.#renewal?.catch(() => undefined);
  }

  async #renewOnce(): Promise<void> {
    const { folder, requestCertificate, onRenewed } = this.#options;
    const { csr, privateKey } = createCsr();
    const signed = await requestCertificate(csr, this.#stop.signal);
    const { chain, workloadChain: workload, trustBundle, trustVersion } = signed;
    const files = { cert: chain, key: privateKey, ca: trustBundle };
    writeCertificateFolder(folder, { ...files, ...(workload !== undefined && { workload }) });
    this.#trustVersion = trustVersion;
    this.#takeOver();
    this.#dueAt = dueAfter(this.#clock.now(), this.#notAfter, this.#random());
    onRenewed?.();
  }

  #takeOver(): X509Certificate | undefined {
    const files = readCertificateFolder(this.#options.folder);
    const leaf = files && leafOf(files);
    this.#notAfter = leaf?.validToDate ?? new Date(0);
    return leaf;
  }

  #random(): number {
    return (this.#options.random ?? Math.random)();
  }

  #wait(): void {
    if (this.#stop.signal.aborted) return;
    const { timers = systemTimers, trustVersion, trustPollMs = defaultTrustPollMs } = this.#options;
    const untilDue = this.#dueAt.getTime() - this.#clock.now().getTime();
    const longest = trustVersion === undefined ? maxWaitMs : trustPollMs;
    const waitMs = this.#failures > 0 ? backOffMs(this.#failures, retryPace) : Math.min(untilDue, longest);
    this.#cancelTimer = timers.after(Math.max(waitMs, 0), () => void this.#check());
  }

  async #check(): Promise<void> {
    try {
      if ((await this.#isDue()) && !this.#stop.signal.aborted) await this.renew();
      this.#onChecked();
    } catch (error) {
      this.#onChecked(error);
    }
    this.#wait();
  }

  async #isDue(): Promise<boolean> {
    if (this.#clock.now() >= this.#dueAt) return true;
    const { trustVersion } = this.#options;
    return trustVersion !== undefined && (await trustVersion(this.#stop.signal)) !== this.#trustVersion;
  }

  #onChecked(failure?: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#failures = failure === undefined ? 0 : this.#failures + 1;
    this.#options.onChecked?.(failure);
  }
}

/** After two thirds of the time that is left, and a little earlier by chance. */
function dueAfter(now: Date, notAfter: Date, random: number): Date {
  const leftMs = notAfter.getTime() - now.getTime();
  return new Date(now.getTime() + leftMs * (2 / 3 - random / 30));
}
