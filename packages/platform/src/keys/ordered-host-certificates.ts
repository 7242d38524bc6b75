import type { Logger } from '../log/logger.ts';
import { LruCache } from '../memory/lru-cache.ts';
import type { IssuedCertificate } from '../pki/issue-certificate.ts';
import type { Clock } from '../time/clock.ts';
import type { CertificateIssuer } from './certificate-issuer.ts';
import type { HostCertificates } from './host-certificates.ts';
import { certificatePeriod, isRenewalDue } from './server-certificate.ts';

/** A certificate as it is stored. */
export type StoredCertificate = Pick<IssuedCertificate, 'certificatePem' | 'privateKeyPem'>;

/** Keeps certificates for the next start, and for other replicas. */
export interface HostCertificateStore {
  read(hostName: string): Promise<StoredCertificate | undefined>;
  write(hostName: string, certificate: StoredCertificate): Promise<void>;
}

export interface OrderedHostCertificatesOptions {
  readonly issuer: CertificateIssuer;
  readonly store: HostCertificateStore;
  /** Whether the issuer can issue for a name. Others get the fallback's certificates. */
  readonly covers: (hostName: string) => boolean;
  /** Serves names until their certificates are there, and says which names are served at all. */
  readonly fallback: HostCertificates;
  readonly clock: Clock;
  readonly logger: Logger;
}

const capacity = 1000;
const firstPauseMs = 60_000;
const maxPauseMs = 6 * 3_600_000;

interface Attempt {
  readonly failures: number;
  readonly notBeforeMs: number;
}

/**
 * Certificates of an authority that takes its time, such as an ACME server. The first handshake for a name orders its
 * certificate; those that come before it is there, and those that it cannot be had for, get the fallback's.
 */
export class OrderedHostCertificates implements HostCertificates, AsyncDisposable {
  readonly #options: OrderedHostCertificatesOptions;
  readonly #known = new LruCache<string, IssuedCertificate>(capacity);
  readonly #attempts = new LruCache<string, Attempt>(capacity);
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: OrderedHostCertificatesOptions) {
    this.#options = options;
  }

  async find(hostName: string): Promise<IssuedCertificate | undefined> {
    const { fallback, covers, clock } = this.#options;
    const other = await fallback.find(hostName);
    if (other === undefined || !covers(hostName)) return other;
    const now = clock.now();
    const known = this.#known.get(hostName);
    if (known === undefined || isRenewalDue(known, now)) this.#order(hostName, now);
    return known !== undefined && known.notAfter > now ? known : other;
  }

  /** Waits for what was ordered. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #order(hostName: string, now: Date): void {
    const { failures = 0, notBeforeMs = 0 } = this.#attempts.get(hostName) ?? {};
    if (this.#running.has(hostName) || now.getTime() < notBeforeMs) return;
    const work = this.#obtain(hostName, now)
      .catch((error: unknown) => {
        const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** failures);
        this.#attempts.set(hostName, { failures: failures + 1, notBeforeMs: now.getTime() + pauseMs });
        const text = error instanceof Error ? error.message : String(error);
        this.#options.logger.warn('the certificate of a site cannot be had', { host: hostName, error: text });
      })
      .finally(() => this.#running.delete(hostName));
    this.#running.set(hostName, work);
  }

  async #obtain(hostName: string, now: Date): Promise<void> {
    const { store, issuer, logger } = this.#options;
    const stored = await store.read(hostName);
    const found = stored && withPeriod(stored);
    if (found !== undefined && !isRenewalDue(found, now)) return void this.#known.set(hostName, found);
    const { certPem, keyPem } = await issuer.issue({ hosts: [hostName] });
    const issued = withPeriod({ certificatePem: certPem, privateKeyPem: keyPem });
    this.#known.set(hostName, issued);
    logger.info('a site has a new certificate', { host: hostName, until: issued.notAfter.toISOString() });
    await store.write(hostName, issued);
  }
}

const withPeriod = (stored: StoredCertificate): IssuedCertificate => ({
  ...stored,
  ...certificatePeriod(stored.certificatePem),
});
