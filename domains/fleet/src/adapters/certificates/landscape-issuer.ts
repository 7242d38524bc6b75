import { X509Certificate } from 'node:crypto';
import { type Clock, type CurrentAuthority, issueCertificateAsync, systemClock } from '@chandlery/platform';
import type { CertificateIssuer } from '../../ports.ts';
import { checkHosts } from './check-hosts.ts';

/** How the landscape's own authority certifies instances. */
export interface LandscapeIssuerOptions {
  readonly authority: CurrentAuthority;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Default 90. */
  readonly validDays?: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Issues certificates signed by the landscape's own authority, at once. */
export function createLandscapeIssuer(options: LandscapeIssuerOptions): CertificateIssuer {
  const { clock = systemClock, validDays = 90 } = options;
  return {
    issue: async request => {
      const hosts = checkHosts(request.hosts);
      const now = clock.now();
      const { authority, chainPem, trustPem } = options.authority();
      const { certificatePem, privateKeyPem, notAfter } = await issueCertificateAsync(authority, {
        dnsNames: hosts,
        usages: ['server'],
        now,
        notAfter: new Date(now.getTime() + validDays * dayMs),
      });
      return { certPem: `${certificatePem}${chainPem}`, keyPem: privateKeyPem, caPem: trustPem, notAfter };
    },
    isOutdated: certPem => {
      const { authority } = options.authority();
      return !new X509Certificate(certPem).checkIssued(new X509Certificate(authority.certificatePem));
    },
  };
}
