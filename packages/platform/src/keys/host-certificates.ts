import { LruCache } from '../memory/lru-cache.ts';
import { type CertificateAuthority } from '../pki/certificate-authority.ts';
import { type IssuedCertificate, issueCertificate } from '../pki/issue-certificate.ts';
import type { Clock } from '../time/clock.ts';
import { isRenewalDue } from './server-certificate.ts';

/** Certificates of host names that are served besides the server's own, chosen by SNI. */
export interface HostCertificates {
  /**
   * Returns the certificate of a host name in lower case; undefined when the name is not served. The same object is returned
   * until it is renewed.
   */
  find(hostName: string): Promise<IssuedCertificate | undefined>;
}

export interface IssuedHostCertificatesOptions {
  readonly authority: CertificateAuthority;
  /** Whether a name is served now. Names that are not never get a certificate. */
  readonly isServed: (hostName: string) => boolean;
  readonly clock: Clock;
  /** Certificates in memory. Default 1000. */
  readonly capacity?: number;
}

const validMs = 90 * 24 * 60 * 60 * 1000;
const defaultCapacity = 1000;
/** The longest common name (RFC 5280, upper bounds). */
const maxCommonNameLength = 64;

/** Issues certificates by an authority of ours when they are first needed, and again in good time. */
export class IssuedHostCertificates implements HostCertificates {
  readonly #options: IssuedHostCertificatesOptions;
  readonly #issued: LruCache<string, IssuedCertificate>;

  constructor(options: IssuedHostCertificatesOptions) {
    this.#options = options;
    this.#issued = new LruCache(options.capacity ?? defaultCapacity);
  }

  async find(hostName: string): Promise<IssuedCertificate | undefined> {
    const { isServed, clock } = this.#options;
    if (!isServed(hostName)) return undefined;
    const now = clock.now();
    const known = this.#issued.get(hostName);
    if (known !== undefined && !isRenewalDue(known, now)) return known;
    const issued = this.#issue(hostName, now);
    this.#issued.set(hostName, issued);
    return issued;
  }

  #issue(hostName: string, now: Date): IssuedCertificate {
    return issueCertificate(this.#options.authority, {
      ...(hostName.length > maxCommonNameLength ? {} : { commonName: hostName }),
      dnsNames: [hostName],
      usages: ['server'],
      now,
      notAfter: new Date(now.getTime() + validMs),
    });
  }
}
