import type { X509Certificate } from 'node:crypto';
import { type Clock, systemClock } from '@chandlery/platform';
import { backOffMs, systemTimers, type Timers } from '@chandlery/runtime';
import { createCsr } from '../certificates/csr/create-csr.ts';
import { renewalTime } from '../certificates/leaf/renewal.ts';
import { trustPollMs as defaultTrustPollMs } from '../model/rotation/decide-rotation.ts';
import { leafOf, readCertificateFolder, writeCertificateFolder } from './certificate-folder.ts';

/** The response of the certificate authority. PEM. */
export interface SignedRequest {
  /** Leaf first. */
  readonly chain: string;
  /** For an Envoy: the certificate of its workload for the same key. Leaf first. */
  readonly workloadChain?: string;
  readonly trustBundle: string;
  /** Trust version at the time of signing. Undefined: unknown, and different from any version. */
  readonly trustVersion?: string;
}

export interface ManageCertificateOptions {
  /** Folder of `cert.pem`, `key.pem` and `ca.pem`. Created if it is missing. */
  readonly folder: string;
  /** Requests a certificate for a CSR (PEM, PKCS #10) from the authority of the mesh. */
  readonly requestCertificate: (csr: string, signal: AbortSignal) => Promise<SignedRequest>;
  /**
   * Reads the current trust version of the authority. When it differs from that of the certificate, the certificate and
   * the trust bundle are renewed. Default: the trust bundle is updated when the certificate is due.
   */
  readonly trustVersion?: (signal: AbortSignal) => Promise<string>;
  /** Polling interval of the trust version. Default 15 000. */
  readonly trustPollMs?: number;
  /** Called after the files in the folder were replaced. */
  readonly onRenewed?: () => void;
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** Returns numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Called after each periodic check, with the error if it failed. A failed check is retried. Default: not called. */
  readonly onChecked?: (failure?: unknown) => void;
}

/** A folder whose certificate is renewed before it expires, until disposed of. */
export interface ManagedCertificate extends AsyncDisposable {
  readonly notAfter: Date;
  /** Renews the certificate now. Rejects on failure; the files in the folder are then unchanged. */
  renew(): Promise<void>;
}

const retryPace = { baseMs: 1_000, maxMs: 60_000 };

/** Bounds the wait, because timers stand still while a machine is suspended. */
const maxWaitMs = 60_000;

/**
 * Manages the certificate in a folder. A valid certificate of an earlier run is kept; otherwise resolves when the first
 * certificate is written, and rejects when the authority rejects the request.
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
  /** Undefined for a certificate of an earlier run, whose trust version is unknown. */
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
    writeCertificateFolder(folder, { ...files, ...(workload === undefined ? {} : { workload }) });
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
    const maxMs = trustVersion === undefined ? maxWaitMs : trustPollMs;
    const waitMs = this.#failures > 0 ? backOffMs(this.#failures, retryPace) : Math.min(untilDue, maxMs);
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

/** After two thirds of the remaining time, minus jitter. */
function dueAfter(now: Date, notAfter: Date, random: number): Date {
  const leftMs = notAfter.getTime() - now.getTime();
  return new Date(now.getTime() + leftMs * (2 / 3 - random / 30));
}
