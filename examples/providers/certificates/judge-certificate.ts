import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Certificate } from './kinds.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** A certificate is renewed when a fifth of its life is left. */
const renewedBefore = 0.2;

/** What was found in a Secret, as PEM texts; empty when it is not there. */
export interface FoundPair {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  readonly authorityPem: string;
}

/** A certificate that can stay, and when it is to be renewed. */
export interface GoodCertificate {
  readonly certificate: X509Certificate;
  readonly renewAt: Date;
}

/** How long the wanted certificate is good. */
export const lifeMs = ({ validDays }: Pick<Certificate['spec'], 'validDays'>): number => validDays * dayMs;

/**
 * The certificate that was found, if it is what is asked for, complete, of this authority, and not about to end.
 * Otherwise undefined: another one has to be issued.
 */
export function judgeCertificate(
  found: FoundPair,
  spec: Certificate['spec'],
  { authorityPem, now }: { readonly authorityPem: string; readonly now: Date },
): GoodCertificate | undefined {
  const certificate = parse(() => new X509Certificate(found.certificatePem));
  const key = parse(() => createPrivateKey(found.privateKeyPem));
  if (certificate === undefined || key === undefined) return undefined;
  if (found.authorityPem !== authorityPem || !isOf(certificate, authorityPem, key)) return undefined;
  if (namesOf(certificate).join() !== spec.dnsNames.join()) return undefined;
  const endMs = certificate.validToDate.getTime();
  const renewAt = new Date(endMs - lifeMs(spec) * renewedBefore);
  const isTooLong = endMs - now.getTime() > lifeMs(spec);
  return isTooLong || now >= renewAt ? undefined : { certificate, renewAt };
}

const isOf = (certificate: X509Certificate, authorityPem: string, key: KeyObject): boolean =>
  certificate.verify(new X509Certificate(authorityPem).publicKey) && certificate.checkPrivateKey(key);

const namesOf = ({ subjectAltName = '' }: X509Certificate): readonly string[] =>
  subjectAltName.split(', ').map(entry => entry.replace(/^DNS:/, ''));

/** Other clients may have written anything into a Secret. */
function parse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
