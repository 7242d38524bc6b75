import { LruCache } from '../memory/lru-cache.ts';
import { type IssuedCertificate, issueCertificate } from '../pki/issue-certificate.ts';
import type { CurrentAuthority, IssuingAuthority } from '../pki/issuing-authority.ts';
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
  readonly authority: CurrentAuthority;
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

/** Issues certificates by an authority of ours when they are first needed, in good time, and by each new authority. */
export class IssuedHostCertificates implements HostCertificates {
  readonly #options: IssuedHostCertificatesOptions;
  readonly #issued: LruCache<string, { readonly by: IssuingAuthority; readonly certificate: IssuedCertificate }>;

  constructor(options: IssuedHostCertificatesOptions) {
    this.#options = options;
    this.#issued = new LruCache(options.capacity ?? defaultCapacity);
  }

  async find(hostName: string): Promise<IssuedCertificate | undefined> {
    const { isServed, clock, authority } = this.#options;
    if (!isServed(hostName)) return undefined;
    const now = clock.now();
    const by = authority();
    const known = this.#issued.get(hostName);
    if (known?.by === by && !isRenewalDue(known.certificate, now)) return known.certificate;
    const certificate = issueHostCertificate(by, hostName, now);
    this.#issued.set(hostName, { by, certificate });
    return certificate;
  }
}

function issueHostCertificate(
  { authority, chainPem }: IssuingAuthority,
  hostName: string,
  now: Date,
): IssuedCertificate {
  const issued = issueCertificate(authority, {
    ...(hostName.length > maxCommonNameLength ? {} : { commonName: hostName }),
    dnsNames: [hostName],
    usages: ['server'],
    now,
    notAfter: new Date(now.getTime() + validMs),
  });
  return { ...issued, certificatePem: `${issued.certificatePem}${chainPem}` };
}
